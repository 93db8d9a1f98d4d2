import { Command } from 'commander'
import { Failure } from '../failure.ts'

export function agentCommand(): Command {
  return new Command('agent')
    .description(
      'Serve tools for AI agents on stdin and stdout (MCP), with FARM_URL and FARM_API_KEY.',
    )
    .option('--profile <name>', 'readonly, creator, automation or developer (default: creator)')
    .action(async ({ profile }: { profile?: string }) => {
      const { SettingRefused, serveAgent } = await import('../../agent/stdio.ts')
      try {
        serveAgent(process.env, profile)
      } catch (error) {
        if (error instanceof SettingRefused) throw new Failure(error.message)
        throw error
      }
    })
}
