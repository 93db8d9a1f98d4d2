import { benchAgents } from './api/agents.ts'
import { benchApi } from './api/api.ts'
import { benchBakes } from './bakes.ts'
import { benchClips } from './clips.ts'
import { benchDashboard } from './dashboard/dashboard.ts'
import { benchFarm } from './farm.ts'
import { benchFirstFilm } from './first-film.ts'
import { benchGrowth } from './growth/growth.ts'
import { benchPainting } from './painting.ts'
import { benchPeers } from './peers/peers.ts'
import { benchPlay } from './play.ts'
import { benchReels } from './reels.ts'
import { benchScaling } from './scaling/main.ts'
import { benchScaleOut } from './scaling/scale-out.ts'
import { benchSoak } from './soak.ts'
import { benchTraces } from './traces/traces.ts'

/**
 * Runs every measurement, or one of them: `npm run bench
 * [painting|bakes|farm|play|reels|clips|peers|api|agents|traces|growth [REPEATS]]`; `npm run bench
 * soak [SECONDS]`; `npm run bench peers [REPEATS] W3` or `npm run bench scale-out [REPEATS] W6`: one of
 * its workloads; `npm run bench scaling [SEED]`; `npm run bench first-film [PAIRS] [COMMIT]`; `npm run
 * bench dashboard [REPEATS] [MINUTES] [GROUP]`: one group of its rows.
 */
const benches = {
  ...{ painting: benchPainting, bakes: benchBakes, farm: benchFarm, play: benchPlay },
  ...{
    reels: benchReels,
    clips: benchClips,
    peers: benchPeers,
    api: benchApi,
    agents: benchAgents,
  },
  ...{ traces: benchTraces, growth: benchGrowth, soak: benchSoak, 'first-film': benchFirstFilm },
  ...{ scaling: benchScaling, 'scale-out': benchScaleOut },
  dashboard: () => benchDashboard(process.argv.slice(3)),
}
const usual = {
  ...{ painting: 3, bakes: 5, farm: 5, play: 3, reels: 3, clips: 3, peers: 3, api: 3, agents: 3 },
  ...{ traces: 5, growth: 1, soak: 60, 'first-film': 20, scaling: 37, 'scale-out': 3 },
  dashboard: 3,
}

const [wanted, repeats, part] = process.argv.slice(2)
for (const name of Object.keys(benches) as (keyof typeof benches)[]) {
  if (wanted !== undefined && wanted !== name) continue
  await benches[name](Number(repeats ?? usual[name]), part)
}
