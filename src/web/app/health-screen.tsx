import { useQuery } from '@tanstack/react-query'
import { type Finding, joinAreas } from '#contract/health.ts'
import { callApi } from '#web/http/api.ts'
import { lampsQuery } from '#web/http/lamps-query.ts'
import { AllSubscriptions } from '#web/reports/all-subscriptions.tsx'
import { ReportFaults } from '#web/reports/settings/tested-line.tsx'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { KindIcon } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { formatInstant } from '#web/ui/format-instant.ts'
import { listClasses } from '#web/ui/list-card.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'

const GRADES = {
  fault: { kind: 'error', word: 'Falha' },
  warning: { kind: 'warning', word: 'Aviso' },
  good: { kind: 'success', word: 'Em ordem' },
} as const

/** /admin/saude, 'Saúde do portal': runs the checks of `npm run doctor` and shows their findings. */
export function HealthScreen() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => callApi('GET /api/health/findings', { signal }),
    retry: false,
    // Takes seconds and calls every external service: refetched on demand only.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data, isFetching, dataUpdatedAt, refetch } = health
  const faults = useQuery(lampsQuery).data?.reports ?? []
  const items = data?.items ?? []
  const settings = items.filter(({ check }) => check.startsWith('setting-'))
  const checks = joinAreas(items.filter((item) => !settings.includes(item)))
  return (
    <AdminPage
      title="Saúde do portal"
      intro={
        <p role="status">
          {isFetching
            ? 'Verificando tudo em que o portal se apoia; pode levar um minuto…'
            : data
              ? `${summarizeFindings(checks)} Verificado em ${formatInstant(new Date(dataUpdatedAt).toISOString())}.`
              : ''}
        </p>
      }
      action={
        <Button variant="secondary" isBusy={isFetching} onClick={() => void refetch()}>
          Verificar de novo
        </Button>
      }
    >
      <ReportFaults faults={faults} />
      {!data ? (
        <NotLoaded query={health} failed="A verificação não pôde ser feita agora." skeleton="h-96" />
      ) : (
        <>
          <FindingList label="Verificações" items={checks} />
          <details className="rounded-xl border border-line bg-surface shadow-xs">
            <summary className="cursor-pointer px-4 py-3 font-medium text-sm sm:px-6">
              Configuração: de onde vem cada valor ({settings.length})
            </summary>
            <ul className="divide-y divide-line border-line border-t text-sm">
              {settings.map(({ check, says }) => (
                <li key={check} className="break-words px-4 py-2 sm:px-6">
                  {says}
                </li>
              ))}
            </ul>
          </details>
        </>
      )}
      <AllSubscriptions />
    </AdminPage>
  )
}

/** The findings, worst first. */
function FindingList({ label, items }: { label: string; items: Finding[] }) {
  const order = Object.keys(GRADES)
  const sorted = items.toSorted((one, other) => order.indexOf(one.grade) - order.indexOf(other.grade))
  return (
    <ul aria-label={label} className={listClasses}>
      {sorted.map(({ check, grade, says, todo }) => (
        <li key={`${check} ${says}`} className="flex gap-3 px-4 py-3 sm:px-6">
          <KindIcon kind={GRADES[grade].kind} className="mt-0.5" />
          <div className="min-w-0 flex-1 break-words">
            <span className="sr-only">{GRADES[grade].word}: </span>
            {says}
            {todo && <p className="text-muted">{todo}</p>}
          </div>
        </li>
      ))}
    </ul>
  )
}

function summarizeFindings(items: Finding[]): string {
  const count = (grade: Finding['grade']) => items.filter((item) => item.grade === grade).length
  const [faults, warnings] = [count('fault'), count('warning')]
  if (faults + warnings === 0) return 'Tudo em ordem.'
  const parts = [
    faults > 0 && `${faults} ${faults === 1 ? 'falha' : 'falhas'}`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'aviso' : 'avisos'}`,
  ].filter(Boolean)
  return `${parts.join(' e ')}.`
}
