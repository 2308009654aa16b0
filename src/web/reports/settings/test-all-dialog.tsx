import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { formatList } from '#contract/format-list.ts'
import { formatReportTitle, groupByCause } from '#contract/messages.ts'
import { checkReportSetting } from '#contract/report-setting-rules.ts'
import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import { retry } from '#contract/timing.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { ApiError, getRetryAfterMs } from '#web/http/send-request.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Spinner } from '#web/ui/loading.tsx'
import { furtherReportsQuery } from './further-reports.tsx'
import { getSeverity, type TestedReport, testSetting, toUntested } from './save-setting.ts'
import { toForm, toInput } from './setting-form.ts'
import { TestedLine } from './tested-line.tsx'

const MAX_CONCURRENT = 2

interface TestAllDialogProps {
  areas: readonly CatalogueItem[]
  settings: readonly ReportSetting[]
  /** Opens the form of an area. */
  onOpen: (slug: string) => void
  onClose: () => void
}

/** 'Testar tudo': tests the saved report of every area, two at a time, and lists the results. */
export function TestAllDialog({ areas, settings, onOpen, onClose }: TestAllDialogProps) {
  const configuredAreas = areas.filter(({ label }) => settings.some(({ type }) => type === label))
  const lists = useQueries({ queries: configuredAreas.map(({ code }) => furtherReportsQuery(code)) })
  const rows = areas.flatMap((area) => {
    const first = settings.find(({ type }) => type === area.label)
    const further = lists[configuredAreas.indexOf(area)]?.data?.items ?? []
    const toRow = (setting: ReportSetting | undefined, title: string) => {
      return { key: setting?.id ?? area.code, slug: area.code, title, input: toInput(toForm(setting)) }
    }
    const others = further.map((report) => toRow(report, formatReportTitle(area.label, report.name)))
    return [toRow(first, formatReportTitle(area.label, first?.name ?? undefined)), ...others]
  })
  const configured = rows.flatMap(({ input, ...row }) => (input ? [{ ...row, input }] : []))
  const isListed = lists.every(({ isPending }) => !isPending)
  const { results, isBusy, start } = useTests(configured, isListed)
  const unlisted = configuredAreas.filter((_, index) => lists[index]?.isError)
  const flaws = rows.flatMap(({ key, title }) => {
    const result = results.get(key)
    return result && !['success', 'info'].includes(getSeverity(result)) ? [{ ...result, key, title }] : []
  })
  // Only after all tests, to avoid layout shift.
  const shared = isBusy ? [] : groupByCause(flaws).filter((group) => group.length > 1)
  const isShared = (key: string) => shared.flat().some((flaw) => flaw.key === key)
  return (
    <Dialog
      isOpen
      title="Testar tudo"
      description="Cada relatório salvo é testado no Power BI. Nada é alterado."
      onClose={onClose}
      width="wide"
      actions={
        <>
          <Button variant="secondary" isBusy={isBusy} onClick={start}>
            Testar de novo
          </Button>
          <Button onClick={onClose}>Fechar</Button>
        </>
      }
    >
      <p role="status" className="font-medium text-sm">
        {formatSummary(configured.length, [...results.values()], flaws.length)}
      </p>
      {unlisted.length > 0 && (
        <p className="mt-3 text-sm text-warning">
          Os outros relatórios de {formatList(unlisted.map(({ label }) => label))} não puderam ser lidos, e
          não foram testados.
        </p>
      )}
      {shared.map((group) => (
        <div key={group[0].key} className="mt-3">
          <TestedLine result={group[0]} />
          <p className="mt-1 ml-6 text-muted text-sm">
            Vale para {formatList(group.map(({ title }) => title))}.
          </p>
        </div>
      ))}
      <ul className="mt-3 divide-y divide-line border-line border-t">
        {rows.map(({ key, slug, title, input }) => {
          const result = results.get(key)
          return (
            <li key={key} className="grid gap-x-4 gap-y-1 py-3 sm:grid-cols-[8rem_1fr]">
              <button
                type="button"
                onClick={() => onOpen(slug)}
                className="self-start justify-self-start rounded-sm text-left font-medium text-brand-strong text-sm hover:underline"
              >
                {title}
              </button>
              <div className="min-w-0">
                {!input && <p className="text-muted text-sm">Sem relatório</p>}
                {result && !isShared(key) && <TestedLine result={result} />}
                {isShared(key) && <p className="text-muted text-sm">A causa está acima.</p>}
                {input && !result && (
                  <p className="flex items-center gap-2 text-muted text-sm">
                    <Spinner />
                    Testando…
                  </p>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    </Dialog>
  )
}

function formatSummary(total: number, results: readonly TestedReport[], flawed: number): string {
  if (total === 0) return 'Nenhuma área tem relatório.'
  const problems = flawed === 0 ? 'nenhum com problema' : `${flawed} com problema`
  if (results.length < total) return `${results.length} de ${total} testados, ${problems}…`
  if (flawed > 0) return `${flawed} de ${total} com problema.`
  const unsure = results.filter(({ outcome }) => outcome !== 'ok').length
  if (unsure === 0) return 'Tudo certo em todas as áreas.'
  return `Nenhum problema encontrado; ${unsure} de ${total} sem resposta completa.`
}

type Test = { key: string; slug: string; input: ReportSettingInput }

/** Runs the tests once they are known and on each restart; unmounting aborts them. */
function useTests(tests: readonly Test[], isReady: boolean) {
  const [results, setResults] = useState<ReadonlyMap<string, TestedReport>>(new Map())
  const [round, setRound] = useState(1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run keeps the settings it began with
  useEffect(() => {
    if (!isReady) return
    const controller = new AbortController()
    const queue = [...tests]
    setResults(new Map())
    const work = async () => {
      for (let test = queue.shift(); test && !controller.signal.aborted; test = queue.shift()) {
        const result = await testWithRetry(test, controller.signal)
        if (!controller.signal.aborted) setResults((all) => new Map(all).set(test.key, result))
      }
    }
    for (let count = 0; count < MAX_CONCURRENT; count += 1) void work()
    return () => controller.abort()
  }, [round, isReady])
  return {
    results,
    isBusy: !isReady || results.size < tests.length,
    start: () => setRound((count) => count + 1),
  }
}

const LINK =
  'Link de SSO: cada pessoa entra com a própria conta Microsoft, então abra o link no navegador para conferir.'

/** Waits out the rate limit. SSO links are only validated: the portal has no account to open them. */
async function testWithRetry({ slug, input }: Test, signal: AbortSignal): Promise<TestedReport> {
  if (input.embed_mode === 'secure_sso') {
    // The demo's own link is not a Power BI URL.
    const [flaw] = portalSettings.isDemo ? [] : checkReportSetting(input, portalSettings.powerBiHosts)
    return flaw ? { input, message: flaw.message } : { input, outcome: 'not-testable', message: LINK }
  }
  const getDelay = (error: unknown) =>
    error instanceof ApiError && error.problem.code === 'rate-limited'
      ? getRetryAfterMs(error) || 10_000
      : undefined
  return retry(() => testSetting(slug, input), getDelay, signal).catch((error) => toUntested(input, error))
}
