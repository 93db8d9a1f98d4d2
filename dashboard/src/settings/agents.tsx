import { useState } from 'preact/hooks'
import type { AgentConnection, AgentConnectionChange } from '../../../client/farm-client.ts'
import { type AgentProfile, agentProfiles } from '../../../core/accounts/agent-profiles.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { useLoaded } from '../live/use-loaded.ts'
import { caller, farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Card, Shown } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { count, counted, credits } from '../words/format.ts'

/** Agents that users of the account connected: what each may spend, has spent, and when it last called. */
export function Agents() {
  const agents = useLoaded(
    (signal) => caller.ask('GET /api/agent-connections', { signal }),
    [],
    // An agent that spends changes the credits, and one that renders makes a job.
    { isAffected: ({ kind }) => kind === 'credits' || kind === 'job' },
  )
  const [changing, setChanging] = useState<AgentConnection>()
  const disconnect = async (id: string) => {
    await act(() => farm.connections.disconnect(id), 'The agent is disconnected.')
    agents.reload()
  }
  const change = async (id: string, given: FormData) => {
    const changed = await act(
      () => farm.connections.change(id, readForm(given)),
      'It holds from the agent’s next call on.',
    )
    if (!changed) return
    setChanging(undefined)
    agents.reload()
  }
  return (
    <Card title="Connected agents">
      <Shown of={agents}>
        {({ mcpUrl, connections }) => (
          <>
            <p class="quiet">
              {connections.length === 0 && 'None. '}An AI agent signs in at <code>{mcpUrl}</code>.
            </p>
            {connections.length > 0 && (
              <ul class="rows">
                {connections.map((agent) => (
                  <AgentRow
                    key={agent.id}
                    agent={agent}
                    onChange={() => setChanging(agent)}
                    onDisconnect={() => disconnect(agent.id)}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Shown>
      {changing && (
        <CapsDialog
          agent={changing}
          onSubmit={(given) => change(changing.id, given)}
          onClose={() => setChanging(undefined)}
        />
      )}
    </Card>
  )
}

function AgentRow({
  agent,
  onChange,
  onDisconnect,
}: {
  agent: AgentConnection
  onChange: () => void
  onDisconnect: () => void
}) {
  const { id, clientName, redirectHost, connectedBy, profile, lastUsedAt } = agent
  const { renderCap, totalCap } = agent
  return (
    <li class="row">
      <span class="row-name">
        <span dir="auto">{clientName}</span>
        <span class="quiet">
          {profile}, answers to {redirectHost}, connected by {connectedBy}
        </span>
        <span class="quiet">
          {spentText(agent)}, {capsText(agent)},{' '}
          {lastUsedAt ? (
            <>
              last used <Time at={lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
        </span>
      </span>
      <button type="button" aria-label={`Change ${clientName}`} onClick={onChange}>
        Change
      </button>
      <button type="button" aria-label={`Disconnect ${clientName}`} onClick={onDisconnect}>
        Disconnect
      </button>
      <CommandMenu
        about={clientName}
        of={() => [
          { action: 'changeAgent', id, body: { renderCap, totalCap } },
          { action: 'disconnectAgent', id },
        ]}
      />
    </li>
  )
}

function spentText({ creditsSpent, totalCap }: AgentConnection): string {
  return totalCap === null
    ? `${credits(creditsSpent)} spent`
    : `${count(creditsSpent)} of ${credits(totalCap)} spent`
}

function capsText({ renderCap, bulkCap }: AgentConnection): string {
  return `at most ${credits(renderCap)} a render and ${counted(bulkCap, 'film')} a bulk`
}

function CapsDialog({
  agent: { clientName, profile, renderCap, totalCap, bulkCap },
  onSubmit,
  onClose,
}: {
  agent: AgentConnection
  onSubmit: (given: FormData) => Promise<void>
  onClose: () => void
}) {
  return (
    <FormDialog
      title={`Change ${clientName}`}
      submit="Change it"
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <label>
        Profile
        <select name="profile">
          {agentProfiles.map((each) => (
            <option key={each} value={each} selected={each === profile}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label>
        Credits that a render may cost
        <input name="renderCap" type="number" min={0} required defaultValue={renderCap} />
      </label>
      <label>
        Credits that it may spend (none: all)
        <input name="totalCap" type="number" min={0} defaultValue={totalCap ?? ''} />
      </label>
      <label>
        Films that a bulk may have
        <input name="bulkCap" type="number" min={0} max={10_000} required defaultValue={bulkCap} />
      </label>
    </FormDialog>
  )
}

function readForm(given: FormData): AgentConnectionChange {
  const total = String(given.get('totalCap'))
  return {
    profile: String(given.get('profile')) as AgentProfile,
    renderCap: Number(given.get('renderCap')),
    totalCap: total === '' ? null : Number(total),
    bulkCap: Number(given.get('bulkCap')),
  }
}
