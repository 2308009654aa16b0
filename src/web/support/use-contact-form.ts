import { type RefObject, useRef } from 'react'
import { CONTACT_MIN_FILL_MS, contactFormSchema, contactMessages } from '#contract/support.ts'
import { callPublic } from '#web/http/api.ts'
import { ApiError } from '#web/http/api-error.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { type PassKeeper, requirePass } from '#web/human-check/human-pass.ts'
import { showToast, type ToastContent } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'

/**
 * The contact form from the press of its button to the toast.
 * @param onSent called when the message has been taken; what stood in the form is no longer needed
 */
export function useContactForm(humanCheck: RefObject<PassKeeper | null>, onSent: () => void) {
  const openedAt = useRef(performance.now())
  return useForm({
    schema: contactFormSchema,
    shows: 'all',
    explain: explainFailure,
    async send(values, form) {
      try {
        const captcha = portalSettings.contactCaptcha ? await requirePass(humanCheck.current) : undefined
        if (captcha === false) return
        const fill_ms = await fillTimeSince(openedAt.current)
        const website = String(new FormData(form).get('website') ?? '')
        const body = { ...values, website, fill_ms, ...(captcha && { captcha }) }
        await callPublic('POST /api/support-messages', { body })
        showToast({ kind: 'success', title: contactMessages.sent })
        keepDraft({})
        onSent()
        openedAt.current = performance.now()
      } finally {
        // A pass serves once, whatever became of the message.
        humanCheck.current?.reset()
      }
    },
  })
}

/** How long the form has been open, in ms, once that is as long as a person needs: a quick one waits here, unnoticed. */
async function fillTimeSince(openedAt: number): Promise<number> {
  const openFor = () => performance.now() - openedAt
  while (openFor() < CONTACT_MIN_FILL_MS)
    await new Promise((resolve) => setTimeout(resolve, CONTACT_MIN_FILL_MS - openFor()))
  return Math.round(openFor())
}

function explainFailure(error: unknown): ToastContent {
  const code = error instanceof ApiError ? error.problem.code : undefined
  const isHumanCheck = code === 'human-check-required' || code === 'human-check-failed'
  if (isHumanCheck) return { kind: 'error', title: (error as ApiError).message }
  const description = describeSendFailure(error)
  return { kind: 'error', title: contactMessages.failed, ...(description && { description }) }
}

export const CONTACT_FIELDS = ['name', 'email', 'phone', 'message'] as const
export type ContactField = (typeof CONTACT_FIELDS)[number]

const DRAFT_KEY = 'patio.contact-draft'

export type ContactDraft = Partial<Record<ContactField, string>>

/** What was typed and not yet sent; a reload of the page keeps it, the end of the browser's session does not. */
export function readDraft(): ContactDraft {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT_KEY) ?? '{}')
  } catch {
    return {}
  }
}

/** Keeps what stands in the form. Where the browser refuses storage, the open page alone keeps it. */
export function keepDraft(draft: ContactDraft): void {
  try {
    sessionStorage.setItem(DRAFT_KEY, JSON.stringify(draft))
  } catch {
    // The fields still hold it.
  }
}

/**
 * What stands below 'Erro ao enviar mensagem. Tente novamente.': when to try again where the server said so,
 * or what went wrong without the advice that the title has given already. Empty where there is nothing to add.
 */
export function describeSendFailure(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const isLimited = error instanceof ApiError && error.problem.code === 'rate-limited'
  if (isLimited && error.retryAfterSeconds)
    return `Tente de novo em ${durationText(error.retryAfterSeconds)}.`
  return error.message.replace(/ Tente novamente[^.]*\.$/, '').replace(/ e tente novamente\.$/, '.')
}

/** '40 segundos', '10 minutos', '3 horas': rounded up, so that nobody comes back too early. */
function durationText(seconds: number): string {
  if (seconds < 60) return inUnit(seconds, 'second')
  if (seconds <= 3_600) return inUnit(seconds / 60, 'minute')
  return inUnit(seconds / 3_600, 'hour')
}

function inUnit(value: number, unit: 'second' | 'minute' | 'hour'): string {
  return Math.ceil(value).toLocaleString('pt-BR', { style: 'unit', unit, unitDisplay: 'long' })
}
