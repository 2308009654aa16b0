import { queryOptions } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { FieldProblem } from '#contract/problem.ts'
import { checkReportSetting, reportSettingMessages } from '#contract/report-setting-rules.ts'
import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import { findFrameIssue } from '#contract/share-url.ts'
import { withTimeout } from '#contract/timing.ts'
import { callApi } from '#web/http/api.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { queryClient } from '#web/http/query-client.ts'
import { ApiError } from '#web/http/send-request.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import type { NoticeKind } from '#web/ui/alert.tsx'
import { closeToasts, showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import {
  type Draft,
  getAreaView,
  getVersion,
  SETTING_FIELDS,
  type SettingForm,
  toInput,
} from './setting-form.ts'

export const reportSettingsQuery = queryOptions({
  queryKey: ['report-settings'],
  queryFn: async ({ signal }) => (await callApi('GET /api/global-powerbi-settings', { signal })).items,
})

export const reportStatesQuery = queryOptions({
  queryKey: ['report-states'],
  queryFn: async ({ signal }) => (await callApi('GET /api/global-powerbi-settings/states', { signal })).items,
  retry: false,
})

/** Caches a saved or removed setting, and cancels fetches that would overwrite it. */
export async function cacheSetting(type: string, setting: ReportSetting | undefined): Promise<void> {
  await queryClient.cancelQueries(reportSettingsQuery)
  queryClient.setQueryData(reportSettingsQuery.queryKey, (items) => [
    ...(items ?? []).filter((item) => item.type !== type),
    ...(setting ? [setting] : []),
  ])
  // The administrator's own reports screen shows the new report at once.
  void queryClient.invalidateQueries({ queryKey: ['own-reports'] })
  void queryClient.invalidateQueries(reportStatesQuery)
}

/**
 * Refetches the settings; never throws, as the query reports failures.
 * @returns the area's setting as far as it is known
 */
export async function refetchSetting(type: string): Promise<ReportSetting | undefined> {
  await queryClient.refetchQueries(reportSettingsQuery)
  return queryClient
    .getQueryData(reportSettingsQuery.queryKey)
    ?.find((setting: ReportSetting) => setting.type === type)
}

const UNFRAMED = 'As pessoas verão um aviso com um link para abrir o relatório no Power BI.'

interface SaveSettingOptions {
  type: string
  slug: string
  form: SettingForm
  errors: ReturnType<typeof useSettingErrors>
  onSaved: (form: SettingForm, setting: ReportSetting | undefined) => void
}

/** Handles 'Salvar Configurações': validates, confirms a removal, sends and shows the result. */
export function useSaveSetting({ type, slug, form, errors, onSaved }: SaveSettingOptions) {
  /** The server's description of a concurrent change. */
  const [conflict, setConflict] = useState<string>()
  /** The setting to be removed, while the confirmation is open. */
  const [removing, setRemoving] = useState<ReportSetting>()
  const replacement = useReplacementTest(slug)
  const { submit, isBusy } = useSubmit({
    async send({ form: sent, seen, isSure }: Draft & { isSure?: boolean }) {
      const call = { params: { type: slug }, ifMatch: getVersion(seen) }
      const body = toInput(sent)
      if (body) {
        const insist = () => void submit({ form: sent, seen, isSure: true })
        if (!isSure && (await replacement.fails(body, seen, insist))) return undefined
        const path = 'PUT /api/global-powerbi-settings/{type}'
        const { undoId, ...setting } = await callApi(path, { ...call, body })
        return { setting, title: reportSettingMessages.saved(type), undoId }
      }
      const { removed, undoId } = await callApi('DELETE /api/global-powerbi-settings/{type}', call)
      const title = removed
        ? reportSettingMessages.removed(type)
        : reportSettingMessages.nothingToRemove(type)
      return { setting: undefined, title, undoId }
    },
    async onDone(saved, { form }) {
      if (!saved) return
      const { setting, title, undoId } = saved
      await cacheSetting(type, setting)
      onSaved(form, setting)
      const description = `A área ${type} não aparece mais para ninguém.`
      const notice = { kind: 'success', title, ...(undoId && !setting && { description }) } as const
      announceUndoable(notice, { undoId })
      const flaw = setting?.report_url ? findFrameIssue(setting.report_url)?.kind : undefined
      // A missing autoAuth is added when the report is shown.
      if (flaw && flaw !== 'sign-in') {
        const description =
          flaw === 'report-id' ? 'Falta nele o ID inteiro do relatório (reportId).' : UNFRAMED
        showToast({ kind: 'warning', title: 'O link salvo não abre dentro do portal', description })
      }
    },
    async onFailed(error, draft) {
      const { fields = [], code, detail } = error instanceof ApiError ? error.problem : {}
      if (fields.length > 0) return errors.show(fields)
      if (code === 'conflict') {
        const current = await refetchSetting(type)
        setConflict(detail)
        // The notice above the form explains it, and a toast would cover the buttons.
        if (getAreaView(draft, current).isStale) return
      }
      showToast(toFailureToast(reportSettingMessages.saveFailed(type), error))
    },
  })

  /** @param base the setting that may be overwritten */
  function save(base: ReportSetting | undefined): void {
    if (isBusy || !errors.check(form)) return
    setConflict(undefined)
    if (form.mode === 'none' && base) setRemoving(base)
    else void submit({ form, seen: base })
  }
  return {
    isBusy,
    conflict,
    save,
    isAsking: removing !== undefined,
    replacement,
    /** The conflict is resolved: no change of one's own is left. */
    clearConflict: () => setConflict(undefined),
    cancel: () => setRemoving(undefined),
    confirm(): void {
      setRemoving(undefined)
      void submit({ form, seen: removing })
    },
  }
}

/** As the server's own, so that a reply is lost only on a slow line. */
const TEST_MS = 8_000

/** Tests what is to replace a saved report, and keeps the result if it certainly does not open. */
export function useReplacementTest(slug: string) {
  const [isTesting, setIsTesting] = useState(false)
  const [failure, setFailure] = useState<{ result: TestedReport; insist: () => void }>()
  return {
    isTesting,
    failure,
    clear: () => setFailure(undefined),
    /** @param insist saves all the same */
    async fails(
      input: ReportSettingInput,
      seen: ReportSetting | undefined,
      insist: () => void,
    ): Promise<boolean> {
      const ids = ['workspace_id', 'report_id', 'dataset_id'] as const
      if (!seen || input.embed_mode === 'secure_sso' || ids.every((id) => input[id] === seen[id]))
        return false
      setIsTesting(true)
      const testing = testSetting(slug, input).catch((error) => toUntested(input, error))
      const result = await withTimeout(testing, TEST_MS, () => undefined)
      setIsTesting(false)
      // Without an outcome nothing is known.
      const isDefinite = result?.outcome !== undefined && getSeverity(result) === 'error'
      if (isDefinite) setFailure({ result, insist })
      return isDefinite
    },
  }
}

/** Holds the errors of an area's form: shows them at the fields and as toasts, and focuses the first. */
export function useSettingErrors() {
  const [errors, setErrors] = useState<readonly FieldProblem[]>([])
  const formElement = useRef<HTMLFormElement>(null)

  function show(found: readonly FieldProblem[]): void {
    setErrors(found)
    for (const message of new Set(found.map(({ message }) => message)))
      showToast({ kind: 'error', title: message })
    const input = found[0] && formElement.current?.elements.namedItem(found[0].path)
    if (input instanceof HTMLElement) input.focus()
  }
  return {
    formElement,
    show,
    check(form: SettingForm): boolean {
      closeToasts()
      const input = toInput(form)
      const found = input ? checkReportSetting(input, portalSettings.powerBiHosts) : []
      show(found)
      return found.length === 0
    },
    /** Clears the errors of changed fields until the next validation. */
    clear(fields: readonly string[] = SETTING_FIELDS): void {
      setErrors((current) => current.filter(({ path }) => !fields.includes(path)))
    },
    getError: (field: string) => errors.find(({ path }) => path === field)?.message,
  }
}

export interface TestedReport {
  input: ReportSettingInput
  /** Undefined without a reply. */
  outcome?: string
  isTemporary?: boolean
  /** One sentence: what is wrong and who can fix it, or that all is well. */
  message: string
  /** The service's code, request id and words for a ticket; undefined without them. */
  ticket?: string | undefined
}

const KINDS: Partial<Record<string, NoticeKind>> = {
  ok: 'success',
  'capacity-unknown': 'info',
  'refresh-failed': 'warning',
  'not-testable': 'info',
}

/** Returns the severity of a test outcome; an error if there is none. */
export function getSeverity({ outcome, isTemporary }: TestedReport): NoticeKind {
  return KINDS[outcome ?? ''] ?? (isTemporary ? 'warning' : 'error')
}

/** @throws ApiError, NetworkError */
export async function testSetting(slug: string, input: ReportSettingInput): Promise<TestedReport> {
  const { outcome, isTemporary, message, ...quoted } = await callApi(
    'POST /api/global-powerbi-settings/{type}/test',
    { params: { type: slug }, body: input },
  )
  return { input, outcome, isTemporary, message, ticket: formatTicket(quoted) }
}

export function toUntested(input: ReportSettingInput, error: unknown): TestedReport {
  return { input, message: `Não foi possível testar o relatório. ${(error as Error).message}` }
}

/** 'Testar relatório': dry-runs the form, saved or not; a change of the form discards the result. */
export function useTestReport(slug: string, form: SettingForm) {
  const [result, setResult] = useState<TestedReport>()
  const { submit, isBusy } = useSubmit({
    send: (input: ReportSettingInput) => testSetting(slug, input),
    onDone: setResult,
    onFailed: (error, input) => setResult(toUntested(input, error)),
  })
  const input = toInput(form)
  return {
    /** @param next the form about to be set */
    test(next = form): void {
      const wanted = toInput(next)
      if (wanted) void submit(wanted)
    },
    isBusy,
    result: JSON.stringify(result?.input) === JSON.stringify(input) ? result : undefined,
  }
}

interface Quoted {
  code: string | null
  requestId: string | null
  answer: string | null
}

/** Formats what Microsoft support asks for: 'código UnknownError · pedido 49c2e739-…', and the words. */
function formatTicket({ code, requestId, answer }: Quoted): string | undefined {
  const ids = [code && `código ${code}`, requestId && `pedido ${requestId}`].filter(Boolean).join(' · ')
  const service = code?.startsWith('AADSTS') ? 'Microsoft Entra' : 'Power BI'
  return [ids, answer && `O que o ${service} respondeu: ${answer}`].filter(Boolean).join('\n') || undefined
}
