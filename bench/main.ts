import { benchApi } from './api/api.ts'
import { benchClips } from './clips.ts'
import { benchFarm } from './farm.ts'
import { benchPainting } from './painting.ts'
import { benchPeers } from './peers/peers.ts'
import { benchReels } from './reels.ts'

/** `npm run bench [painting|farm|reels|clips|peers|api [REPEATS]]`: every measurement, or one of them. */
const benches = {
  ...{ painting: benchPainting, farm: benchFarm, reels: benchReels, clips: benchClips },
  ...{ peers: benchPeers, api: benchApi },
}
const usualRepeats = { painting: 3, farm: 5, reels: 3, clips: 3, peers: 3, api: 3 }

const [wanted, repeats] = process.argv.slice(2)
for (const name of ['painting', 'farm', 'reels', 'clips', 'peers', 'api'] as const) {
  if (wanted !== undefined && wanted !== name) continue
  await benches[name](Number(repeats ?? usualRepeats[name]))
}
