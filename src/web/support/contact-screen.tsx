import { Link, useLocation } from '@tanstack/react-router'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import { type ComponentProps, type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import {
  CONTACT_MIN_FILL_MS,
  contactFormSchema,
  contactMessages,
  MAX_MESSAGE_LENGTH,
} from '#contract/support.ts'
import { formatDuration, wait } from '#contract/timing.ts'
import { callPublic } from '#web/http/api.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { ApiError } from '#web/http/send-request.ts'
import { HumanCheck } from '#web/human-check/human-check.tsx'
import { type HumanCheckClient, requirePass } from '#web/human-check/human-check-client.ts'
import { readDraft, storeDraft } from '#web/session/browser-storage.ts'
import { getSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses, useHydrated } from '#web/ui/button.tsx'
import { FormAlert } from '#web/ui/form-alert.tsx'
import { EmailField, TextArea, TextField } from '#web/ui/text-field.tsx'
import { showToast, type ToastContent } from '#web/ui/toast.tsx'
import { setUpForm, useForm } from '#web/ui/use-form.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'
import { formatPhone } from './format-phone.ts'

/** /contato, 'Entre em Contato': a public form to write to the administrators. */
export function ContactScreen() {
  return (
    <VisitorPage
      title="Entre em Contato"
      description="Envie uma dúvida ou sugestão. Respondemos por e-mail ou telefone."
    >
      <ContactForm />
      <p className="text-sm">
        <Link to="/login" className={`inline-flex items-center gap-1.5 ${textLinkClasses}`}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          Voltar
        </Link>
      </p>
    </VisitorPage>
  )
}

function ContactForm() {
  const message = useLocation({ select: ({ state }) => state.contactMessage })
  const [initial, setInitial] = useState(() => initialValues(message))
  const [sentCount, setSentCount] = useState(0)
  /** The address of the last message, until the next one is begun. */
  const [sentFrom, setSentFrom] = useState<string>()
  const fields = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isHydrated = useHydrated()
  const humanCheck = useRef<HumanCheckClient>(null)
  const { formProps, submitProps, failure, isBusy, getError } = useContactForm(humanCheck, ({ email }) => {
    setSentFrom(email)
    // The fields are about to be replaced, which would lose the focus.
    if (fields.current?.contains(document.activeElement)) button.current?.focus()
    setInitial(initialValues(undefined))
    setSentCount((count) => count + 1)
  })
  const onInput = (event: FormEvent<HTMLFormElement>) => {
    formProps.onInput(event)
    setSentFrom(undefined)
    storeDraft(DRAFT_KEY, readValues(event.currentTarget))
  }
  const shared = (field: ContactField) => ({
    name: field,
    required: true,
    // Hydrating with a default, React would replace what was typed into a <textarea> before.
    defaultValue: isHydrated ? initial[field] : undefined,
    // Text typed while sending would be cleared unsent.
    readOnly: isBusy,
    error: getError(field),
  })
  return (
    <form
      {...formProps}
      ref={isHydrated ? setUpForm : undefined}
      onInput={onInput}
      className="space-y-5"
      aria-label="Entre em Contato"
    >
      {/* A new key clears the fields. */}
      <div key={sentCount} ref={fields} className="space-y-5">
        <TextField {...shared('name')} label="Nome" autoComplete="name" />
        <EmailField {...shared('email')} autoComplete="email" />
        <TextField
          {...shared('phone')}
          label="Celular"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          placeholder="(21) 98765-4321"
          onInput={formatInput}
        />
        <MessageField {...shared('message')} />
        <Honeypot />
      </div>
      {portalSettings.contactCaptcha && <HumanCheck ref={humanCheck} />}
      <FormAlert failure={failure} />
      {sentFrom && (
        <Alert kind="success" title={`Recebemos sua mensagem de ${sentFrom}.`}>
          Um administrador responde por e-mail ou telefone.
        </Alert>
      )}
      <Button ref={button} {...submitProps} size="large" className="w-full">
        {isBusy ? contactMessages.sending : contactMessages.send}
      </Button>
    </form>
  )
}

/**
 * Returns the draft, or the signed-in person's name and e-mail.
 * @param message the text suggested by the previous screen, unless the draft has one
 */
function initialValues(message: string | undefined): ContactDraft {
  const user = getSession()?.user
  const email = user?.email
  // Missing in a session stored by 0.1.
  const name = user?.user_metadata?.full_name
  const draft = readDraft<ContactDraft>(DRAFT_KEY)
  const suggested = message && !draft.message && { message: message.slice(0, MAX_MESSAGE_LENGTH) }
  return { ...(email && { email }), ...(name && { name }), ...draft, ...suggested }
}

function readValues(form: HTMLFormElement): ContactDraft {
  const data = new FormData(form)
  return Object.fromEntries(CONTACT_FIELDS.map((field) => [field, String(data.get(field) ?? '')]))
}

/** 'Sugestão / Mensagem' with a character counter. */
function MessageField(props: Omit<ComponentProps<typeof TextArea>, 'label'>) {
  const [length, setLength] = useState(0)
  const area = useRef<HTMLTextAreaElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft comes after hydration
  useEffect(() => setLength(countCharacters(area.current?.value ?? '')), [props.defaultValue])
  return (
    <TextArea
      ref={area}
      {...props}
      label="Sugestão / Mensagem"
      rows={6}
      onInput={(event) => setLength(countCharacters(event.currentTarget.value))}
      hint={
        <span className={`tabular-nums ${length > MAX_MESSAGE_LENGTH ? 'text-danger' : ''}`}>
          {length} de {MAX_MESSAGE_LENGTH} caracteres
        </span>
      }
    />
  )
}

/** Formats a Brazilian number while it is typed. */
function formatInput({ currentTarget: input, nativeEvent }: FormEvent<HTMLInputElement>): void {
  // An input method owns the text while composing.
  if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) return
  const typed = { text: input.value, caret: input.selectionStart ?? input.value.length }
  const { text, caret } = formatPhone(typed)
  if (text === typed.text) return
  input.value = text
  input.setSelectionRange(caret, caret)
}

/** Counts characters as contactFormSchema does: an emoji outside the basic plane counts once. */
function countCharacters(text: string): number {
  return [...text.trim()].length
}

/**
 * A honeypot: invisible and unreachable for people, assistive
 * technology and autofill, but filled in by bots.
 */
function Honeypot() {
  return (
    <div className="sr-only" aria-hidden="true" inert>
      <label>
        Website
        <input
          type="text"
          name="website"
          tabIndex={-1}
          autoComplete="off"
          data-1p-ignore="true"
          data-lpignore="true"
          data-bwignore="true"
        />
      </label>
    </div>
  )
}

/**
 * Submits the contact form.
 * @param onSent called when the message has been accepted and the form can be cleared
 */
function useContactForm(
  humanCheck: RefObject<HumanCheckClient | null>,
  onSent: (sent: { email: string }) => void,
) {
  const openedAt = useRef(performance.now())
  return useForm({
    schema: contactFormSchema,
    shows: 'all',
    explain: explainContactFailure,
    async send(values, form) {
      try {
        const captcha = portalSettings.contactCaptcha ? await requirePass(humanCheck.current) : undefined
        if (captcha === false) return
        const fill_ms = await waitForFillTime(openedAt.current)
        const website = String(new FormData(form).get('website') ?? '')
        const body = { ...values, website, fill_ms, ...(captcha && { captcha }) }
        await callPublic('POST /api/support-messages', { body })
        showToast({ kind: 'success', title: contactMessages.sent })
        storeDraft(DRAFT_KEY, {})
        onSent(values)
        openedAt.current = performance.now()
      } finally {
        // A pass is valid once, whatever the outcome.
        humanCheck.current?.reset()
      }
    },
  })
}

/**
 * Returns how long the form has been open (ms). Delays bots
 * and very fast people to the minimum that the server accepts.
 */
async function waitForFillTime(openedAt: number): Promise<number> {
  const getOpenMs = () => performance.now() - openedAt
  while (getOpenMs() < CONTACT_MIN_FILL_MS) await wait(CONTACT_MIN_FILL_MS - getOpenMs())
  return Math.round(getOpenMs())
}

export function explainContactFailure(error: unknown): ToastContent {
  const code = error instanceof ApiError ? error.problem.code : undefined
  const isHumanCheck = code === 'human-check-required' || code === 'human-check-failed'
  if (isHumanCheck) return { kind: 'error', title: (error as ApiError).message }
  const description = describeSendFailure(error)
  return { kind: 'error', title: contactMessages.failed, ...(description && { description }) }
}

const CONTACT_FIELDS = ['name', 'email', 'phone', 'message'] as const
type ContactField = (typeof CONTACT_FIELDS)[number]

const DRAFT_KEY = 'patio.contact-draft'

type ContactDraft = Partial<Record<ContactField, string>>

/**
 * Describes a failure below 'Erro ao enviar mensagem. Tente novamente.': when to retry,
 * or the error without repeating that advice. Empty where there is nothing to add.
 */
export function describeSendFailure(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const isLimited = error instanceof ApiError && error.problem.code === 'rate-limited'
  if (isLimited && error.retryAfterSeconds)
    return `Tente de novo em ${formatDuration(error.retryAfterSeconds)}.`
  return error.message.replace(/ Tente novamente[^.]*\.$/, '').replace(/ e tente novamente\.$/, '.')
}
