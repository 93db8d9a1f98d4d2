import { benchApi } from './api/api.ts'
import { benchClips } from './clips.ts'
import { benchFarm } from './farm.ts'
import { benchPainting } from './painting.ts'
import { benchPeers } from './peers/peers.ts'
import { benchReels } from './reels.ts'
import { benchTraces } from './traces/traces.ts'

/** `npm run bench [painting|farm|reels|clips|peers|api|traces [REPEATS]]`: every measurement, or one of them. */
const benches = {
  ...{ painting: benchPainting, farm: benchFarm, reels: benchReels, clips: benchClips },
  ...{ peers: benchPeers, api: benchApi, traces: benchTraces },
}
const usualRepeats = { painting: 3, farm: 5, reels: 3, clips: 3, peers: 3, api: 3, traces: 5 }

const [wanted, repeats] = process.argv.slice(2)
for (const name of ['painting', 'farm', 'reels', 'clips', 'peers', 'api', 'traces'] as const) {
  if (wanted !== undefined && wanted !== name) continue
  await benches[name](Number(repeats ?? usualRepeats[name]))
}
