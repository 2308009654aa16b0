import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import Eye from 'lucide-react/icons/eye'
import { useMemo, useState } from 'react'
import type { ReplyNamed } from '#contract/index.ts'
import { formatReportTitle, reportMessages } from '#contract/messages.ts'
import { callApi } from '#web/http/api.ts'
import { READ_ONCE } from '#web/http/query-client.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { formatDate } from '#web/ui/format-instant.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import { TabList, TabPanel, Tabs, useVisited } from '#web/ui/tabs.tsx'
import { formatTimeLeft, useSecondsLeft } from '#web/ui/use-seconds-left.ts'
import { EmbeddedReport } from './embed/embedded-report.tsx'
import { issueViewAsToken } from './embed/issue-embed-token.ts'
import { AreaLabel, ReportNotice } from './embed/report-overlay.tsx'
import { toTabs } from './own-reports.ts'
import { ReportChoice } from './report-choice.tsx'
import { useEmbedTokens, useTokenSync } from './use-embed-tokens.ts'

type View = ReplyNamed<'GET /api/profiles/{userId}/reports'>

const NO_COMMANDS = () => {}
const AS_PUBLISHED = {}

/** /admin/ver-como/{userId}, 'Ver como': the reports screen as another person sees it, for 15 minutes. */
export function ViewAsScreen() {
  const { userId } = useParams({ strict: false }) as { userId: string }
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['view-as', userId],
    queryFn: ({ signal }) => callApi('GET /api/profiles/{userId}/reports', { params: { userId }, signal }),
    // Each read starts a recorded view, so it happens only on the administrator's request.
    ...READ_ONCE,
    retry: false,
  })
  if (error && !data)
    return (
      <div className="p-4">
        <FailedLoad isRetrying={isFetching} onRetry={() => void refetch()} className="mx-auto max-w-2xl">
          {error.message}
        </FailedLoad>
      </div>
    )
  if (!data) return <Skeleton className="m-4 h-96" />
  return <Viewed key={data.view} userId={userId} view={data} onAgain={() => void refetch()} />
}

interface ViewedProps {
  userId: string
  view: View
  onAgain: () => void
}

function Viewed({ userId, view, onAgain }: ViewedProps) {
  const router = useRouter()
  // The list with its filters; none where the screen was opened by its address.
  const [{ returnTo }] = useState(() => router.state.location.state)
  // The server enforces the end; the browser only counts down.
  const [endsAt] = useState(() => Date.now() + VIEW_MS)
  const left = useSecondsLeft(endsAt)
  const name = view.full_name ?? view.email
  const isOver = left === 0
  const reason = explainWhyNot(view)
  return (
    <section
      aria-label={`Vendo como ${name}`}
      className="flex min-h-0 flex-1 flex-col border-4 border-amber-500"
    >
      <div className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1 bg-amber-200 px-3 py-1.5 text-amber-950 text-sm">
        <p className="min-w-0 flex-1 basis-72 break-words">
          <Eye aria-hidden="true" className="mr-2 inline size-4" />
          Vendo como <strong>{name}</strong>
          {view.full_name && ` (${view.email})`} · somente leitura; nada é exportado, porque os dados são de
          outra pessoa
        </p>
        <div className="flex items-center justify-between gap-4 max-sm:w-full">
          <p role="timer" className="tabular-nums">
            {isOver ? 'Encerrada' : `Restam ${formatTimeLeft(left * 1000)}`}
          </p>
          <Link
            to="/admin"
            search={{ q: view.email }}
            hash="usuarios"
            onClick={(event) => {
              if (!returnTo) return
              event.preventDefault()
              router.history.push(returnTo)
            }}
            className="inline-flex h-9 items-center rounded-lg bg-amber-950 px-3 font-medium text-amber-50 focus-visible:outline-amber-950"
          >
            Encerrar
          </Link>
        </div>
      </div>
      {isOver ? (
        <div className="p-4">
          <Alert
            kind="info"
            title="A visualização terminou"
            actions={<Button onClick={onAgain}>Ver por mais 15 minutos</Button>}
            className="mx-auto mt-4 max-w-2xl"
          >
            Cada visualização dura 15 minutos e fica registrada.
          </Alert>
        </div>
      ) : reason ? (
        <ReportNotice>{reason}</ReportNotice>
      ) : (
        <Reports userId={userId} view={view} />
      )}
    </section>
  )
}

const VIEW_MS = 15 * 60_000

/** Explains why the person sees no report, in the words the person reads. */
function explainWhyNot({ approved, endedOn, areas }: View): string | undefined {
  if (endedOn) return reportMessages.ended(formatDate(endedOn))
  if (!approved) return reportMessages.pending
  return areas.length === 0 ? reportMessages.none : undefined
}

function Reports({ userId, view }: { userId: string; view: View }) {
  const { tabs } = useMemo(() => toTabs(view), [view])
  const { store, tokens } = useEmbedTokens(
    (request, signal) => issueViewAsToken({ userId, view: view.view }, request, signal),
    () => {},
  )
  const all = view.areas.flatMap(({ type, reports = [] }) => reports.map((report) => ({ type, ...report })))
  const [selectedId, select] = useState(all[0]?.id)
  const selected = all.find(({ id }) => id === selectedId)
  const selectedTab = tabs.find(({ id }) => id === selectedId)
  useTokenSync(store, tabs, selectedTab?.key)
  const visited = useVisited(selectedId)
  const getToken = (id: string) => tokens.get(tabs.find((tab) => tab.id === id)?.key ?? '')
  const inArea = all.filter(({ type }) => type === selected?.type)
  return (
    <Tabs
      selectedId={selected?.type}
      onSelect={(area) => select(all.find(({ type }) => type === area)?.id)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <TabList
        label="Relatórios"
        tabs={view.areas.map(({ type: area }) => {
          const others = all.filter(({ type, id }) => type === area && id !== selectedId)
          const failed = others.map(({ id }) => getToken(id)).find((token) => token?.kind === 'failed')
          return { id: area, label: <AreaLabel area={area} token={failed} /> }
        })}
        selectedId={selected?.type}
        className="shrink-0 border-line border-b bg-surface"
      />
      {selected && inArea.length > 1 && (
        <div className="flex shrink-0 justify-center border-line border-b bg-surface py-1">
          <ReportChoice
            reports={inArea.map(({ id, name }) => ({ id, name, token: getToken(id) }))}
            selectedId={selected.id}
            onSelect={select}
          />
        </div>
      )}
      <div className="relative min-h-0 flex-1 overflow-hidden">
        {all
          .filter(({ id }) => visited.includes(id))
          .map(({ id, type, name, embedMode }) => {
            const tab = tabs.find((each) => each.id === id)
            const token = getToken(id)
            return (
              <TabPanel key={id} id={id === selectedId ? type : id} isLaidOut className="absolute inset-0">
                {tab?.kind === 'no-scope' || token?.kind === 'no-scope' ? (
                  <ReportNotice>{reportMessages.noScope}</ReportNotice>
                ) : embedMode === 'secure_sso' ? (
                  <ReportNotice>
                    Este relatório abre por um link que cada pessoa vê com a própria conta da Microsoft: aqui
                    apareceriam os seus dados, e não os desta pessoa.
                  </ReportNotice>
                ) : tab?.kind !== 'embedded' ? (
                  <ReportNotice>{reportMessages.incomplete(formatReportTitle(type, name))}</ReportNotice>
                ) : token?.kind === 'refused' ? (
                  <ReportNotice>Esta pessoa não recebe este relatório agora. {token.detail}</ReportNotice>
                ) : (
                  <EmbeddedReport
                    request={tab.request}
                    marcas={view.marcas}
                    token={token}
                    store={store}
                    view={AS_PUBLISHED}
                    isSelected={id === selectedId}
                    onCommands={NO_COMMANDS}
                  />
                )}
              </TabPanel>
            )
          })}
      </div>
    </Tabs>
  )
}
