import { benchFarm } from './farm.ts'
import { benchPainting } from './painting.ts'
import { benchReels } from './reels.ts'

/** `npm run bench [painting|farm|reels]`: every measurement, or one of them. */
const benches = { painting: benchPainting, farm: benchFarm, reels: benchReels }

const wanted = process.argv[2]
for (const [name, bench] of Object.entries(benches)) {
  if (wanted === undefined || wanted === name) await bench()
}
