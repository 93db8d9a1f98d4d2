import { Card, Empty, Page, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { seldomMs, usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { FarmState } from '../ui/farm-state.tsx'
import { WideTable } from '../ui/wide-table.tsx'

type Certificate = Reply<'GET /api/operator/certificates'>['certificates'][number]

/** Certificates by which nodes are known. They are made where the authority's key is kept. */
export function Certificates() {
  const loaded = usePolled(
    (signal) => read('GET /api/operator/certificates', { signal }),
    [],
    seldomMs,
  )
  return (
    <Page title="Certificates" lead="A node is known by its certificate, where the farm has any.">
      <Shown of={loaded}>
        {({ certificates }) => (
          <Card title="Certificates of nodes">
            {certificates.length === 0 ? (
              <Empty>None: nodes are known by their tokens alone.</Empty>
            ) : (
              <WideTable
                label="All certificates"
                head={['Node', 'State', 'Ends', 'Made', 'Fingerprint', 'Change']}
              >
                {certificates.map((each) => (
                  <Row key={each.fingerprint} certificate={each} onDone={loaded.reload} />
                ))}
              </WideTable>
            )}
          </Card>
        )}
      </Shown>
      <p class="quiet">
        New ones are made where the authority’s key is kept: <code>farm certs node NAME</code>
      </p>
    </Page>
  )
}

const shortLength = 16

function Row({ certificate, onDone }: { certificate: Certificate; onDone: () => void }) {
  const { nodeName, nodeId, status, expiresAt, issuedAt, fingerprint, revokedWhy } = certificate
  const short = fingerprint.slice(0, shortLength)
  return (
    <tr>
      <td>
        <a href={`/farm/nodes/${nodeId}`} dir="auto">
          {nodeName}
        </a>
      </td>
      <td>
        <FarmState of={status} />{' '}
        {revokedWhy !== null && (
          <span class="quiet" dir="auto">
            {revokedWhy}
          </span>
        )}
      </td>
      <td>
        <Time at={expiresAt} />
      </td>
      <td>
        <Time at={issuedAt} />
      </td>
      <td>
        <code title={fingerprint}>{short}…</code>
      </td>
      <td>
        {status === 'valid' && (
          <ChangeButton
            needs="operator"
            kind="danger"
            label="Revoke"
            hint={`Revoke ${short} of ${nodeName}`}
            title={`Revoke the certificate of ${nodeName}`}
            done="Schedulers refuse it from now on"
            command={`farm certs revoke ${fingerprint}`}
            send={({ why }) =>
              change('POST /api/operator/certificates/revoke', {
                body: { which: fingerprint, why },
              })
            }
            onDone={onDone}
          >
            <p>
              Its node is refused, and cordoned unless it has another one. This cannot be undone.
            </p>
          </ChangeButton>
        )}
      </td>
    </tr>
  )
}
