import { useEffect, useState } from 'react'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { groupByCause } from '#contract/messages.ts'
import { checkReportSetting } from '#contract/report-setting-rules.ts'
import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import { retry } from '#contract/timing.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { ApiError, getRetryAfterMs } from '#web/http/send-request.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Spinner } from '#web/ui/loading.tsx'
import { type TestedReport, testSetting, toUntested } from './save-setting.ts'
import { toForm, toInput } from './setting-form.ts'
import { getSeverity, TestedLine } from './tested-line.tsx'

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
  const rows = areas.map((area) => {
    const setting = settings.find(({ type }) => type === area.label)
    return { area, input: toInput(toForm(setting)) }
  })
  const configured = rows.flatMap(({ area, input }) => (input ? [{ slug: area.code, input }] : []))
  const { results, isBusy, start } = useTests(configured)
  const flaws = rows.flatMap(({ area }) => {
    const result = results.get(area.code)
    return result && !['success', 'info'].includes(getSeverity(result)) ? [{ ...result, area }] : []
  })
  // Only after all tests, to avoid layout shift.
  const shared = isBusy ? [] : groupByCause(flaws).filter((group) => group.length > 1)
  const isShared = (slug: string) => shared.flat().some(({ area }) => area.code === slug)
  return (
    <Dialog
      isOpen
      title="Testar tudo"
      description="O relatório salvo de cada área é testado no Power BI. Nada é alterado."
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
      {shared.map((group) => (
        <div key={group[0].area.code} className="mt-3">
          <TestedLine result={group[0]} />
          <p className="mt-1 ml-6 text-muted text-sm">
            Vale para {new Intl.ListFormat('pt-BR').format(group.map(({ area }) => area.label))}.
          </p>
        </div>
      ))}
      <ul className="mt-3 divide-y divide-line border-line border-t">
        {rows.map(({ area, input }) => {
          const result = results.get(area.code)
          return (
            <li key={area.code} className="grid gap-x-4 gap-y-1 py-3 sm:grid-cols-[8rem_1fr]">
              <button
                type="button"
                onClick={() => onOpen(area.code)}
                className="self-start justify-self-start rounded-sm text-left font-medium text-brand-strong text-sm hover:underline"
              >
                {area.label}
              </button>
              <div className="min-w-0">
                {!input && <p className="text-muted text-sm">Sem relatório</p>}
                {result && !isShared(area.code) && <TestedLine result={result} />}
                {isShared(area.code) && <p className="text-muted text-sm">A causa está acima.</p>}
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

type Test = { slug: string; input: ReportSettingInput }

/** Runs the tests on mount and on each restart; unmounting aborts them. */
function useTests(tests: readonly Test[]) {
  const [results, setResults] = useState<ReadonlyMap<string, TestedReport>>(new Map())
  const [round, setRound] = useState(1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run keeps the settings it began with
  useEffect(() => {
    const controller = new AbortController()
    const queue = [...tests]
    setResults(new Map())
    const work = async () => {
      for (let test = queue.shift(); test && !controller.signal.aborted; test = queue.shift()) {
        const { slug } = test
        const result = await testWithRetry(test, controller.signal)
        if (!controller.signal.aborted) setResults((all) => new Map(all).set(slug, result))
      }
    }
    for (let count = 0; count < MAX_CONCURRENT; count += 1) void work()
    return () => controller.abort()
  }, [round])
  return {
    results,
    isBusy: results.size < tests.length,
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
