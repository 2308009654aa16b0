import { queryOptions } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { FieldProblem } from '#contract/problem.ts'
import { checkReportSetting, NO_SETTING, reportSettingMessages } from '#contract/report-setting-rules.ts'
import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import { findFrameIssue } from '#contract/share-url.ts'
import { callApi } from '#web/http/api.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { queryClient } from '#web/http/query-client.ts'
import { ApiError } from '#web/http/send-request.ts'
import { closeToasts, showToast } from '#web/ui/toast.tsx'
import { showUndoToast, toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import {
  type Draft,
  getAreaView,
  getVersion,
  SETTING_FIELDS,
  type SettingForm,
  toForm,
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
async function refetchSetting(type: string): Promise<ReportSetting | undefined> {
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
  const { submit, isBusy } = useSubmit({
    async send({ form: sent, seen }: Draft) {
      const call = { params: { type: slug }, ifMatch: getVersion(seen) }
      const body = toInput(sent)
      if (body) {
        const setting = await callApi('PUT /api/global-powerbi-settings/{type}', { ...call, body })
        return { setting, title: reportSettingMessages.saved(type), lost: undefined }
      }
      const { removed } = await callApi('DELETE /api/global-powerbi-settings/{type}', call)
      const title = removed
        ? reportSettingMessages.removed(type)
        : reportSettingMessages.nothingToRemove(type)
      return { setting: undefined, title, lost: removed ? seen : undefined }
    },
    async onDone({ setting, title, lost }, { form }) {
      await cacheSetting(type, setting)
      onSaved(form, setting)
      if (lost) announceRemoval(title, { type, slug, lost, onSaved })
      else showToast({ kind: 'success', title })
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
    /** The conflict is resolved: no change of one's own is left. */
    clearConflict: () => setConflict(undefined),
    cancel: () => setRemoving(undefined),
    confirm(): void {
      setRemoving(undefined)
      void submit({ form, seen: removing })
    },
  }
}

interface Removal extends Pick<SaveSettingOptions, 'type' | 'slug' | 'onSaved'> {
  lost: ReportSetting
}

/** Shows that an area has no report any more, with an undo button. */
function announceRemoval(title: string, removal: Removal): void {
  const description = `A área ${removal.type} não aparece mais para ninguém.`
  showUndoToast({ kind: 'success', title, description }, () => restoreSetting(removal))
}

/** Saves the removed report again, unless somebody has chosen another one meanwhile. */
async function restoreSetting({ type, slug, lost, onSaved }: Removal): Promise<void> {
  const form = toForm(lost)
  const body = toInput(form)
  if (!body) return
  try {
    const setting = await callApi('PUT /api/global-powerbi-settings/{type}', {
      params: { type: slug },
      ifMatch: NO_SETTING,
      body: { ...body, name: lost.name },
    })
    await cacheSetting(type, setting)
    onSaved(form, setting)
  } catch (error) {
    void refetchSetting(type)
    throw error
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
