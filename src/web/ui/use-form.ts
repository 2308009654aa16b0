import { type FormEvent, useEffect, useState } from 'react'
import type * as z from 'zod/mini'
import type { FieldProblem } from '#contract/problem.ts'
import { ApiError, NetworkError } from '#web/http/send-request.ts'
import type { FormFailure } from './form-alert.tsx'
import { closeToasts, showToast, type ToastContent } from './toast.tsx'
import { useSecondsLeft } from './use-seconds-left.ts'
import { useSubmit } from './use-submit.ts'

/** A contract schema whose fields are the form's inputs, by name and in the order of the page. */
type FormSchema = z.ZodMiniObject<Record<string, z.ZodMiniType<string, string>>>
type FieldOf<S extends FormSchema> = keyof S['shape'] & string

interface FormOptions<S extends FormSchema> {
  schema: S
  /**
   * Which validation errors show next to their fields. 'all' also
   * shows a toast for each, otherwise only the first has one.
   */
  shows?: 'first' | 'first-of-each-field' | 'all'
  /** Converts a validation error to a toast; its message alone by default. */
  toToast?: (problem: FieldProblem) => ToastContent
  send: (values: z.output<S>, form: HTMLFormElement) => Promise<unknown>
  /** Converts a failed request to a toast; the server's field errors also show next to the fields. */
  explain: (error: unknown) => ToastContent
  /** Converts a failed request to the alert in the form; undefined where it shows elsewhere. */
  toAlert?: (error: unknown) => FormFailure | undefined
}

/**
 * Manages a form: validates, focuses the first invalid field and sends
 * one request at a time. Inputs are uncontrolled and read by name.
 */
export function useForm<S extends FormSchema>({ schema, send, explain, ...options }: FormOptions<S>) {
  const { shows = 'first-of-each-field', toToast = ({ message }) => ({ kind: 'error', title: message }) } =
    options
  const { toAlert = toFormFailure } = options
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])
  const { failure, setFailure, isWaiting } = useFailure()

  const show = (found: readonly FieldProblem[], form: HTMLFormElement) => {
    setProblems(found)
    const input = found[0] && form.elements.namedItem(found[0].path)
    if (input instanceof HTMLElement) input.focus()
    for (const problem of shows === 'all' ? found : []) showToast(toToast(problem))
  }
  const { submit, isBusy } = useSubmit({
    send: ({ values, form }: { values: z.output<S>; form: HTMLFormElement }) => send(values, form),
    onFailed(error, { form }) {
      const refused = toFieldErrors(error).filter(({ path }) => path in schema.shape)
      show(refused, form)
      if (refused.length === 0) setFailure(toAlert(error))
      if (shows !== 'all' || refused.length === 0) showToast(explain(error))
    },
  })
  const validate = (form: HTMLFormElement) => {
    closeToasts()
    setFailure(undefined)
    const data = new FormData(form)
    const values = Object.keys(schema.shape).map((field) => [field, String(data.get(field) ?? '')])
    const parsed = schema.safeParse(Object.fromEntries(values))
    const errors = (parsed.error?.issues ?? []).map(({ path, message }) => ({
      path: String(path[0]),
      message,
    }))
    show(limitErrors(errors, shows), form)
    if (shows !== 'all' && errors[0]) showToast(toToast(errors[0]))
    if (parsed.success) void submit({ values: parsed.data, form })
  }
  return {
    isBusy,
    failure,
    /** For the submit button, which keeps the focus while the form cannot be sent. */
    submitProps: { type: 'submit' as const, isBusy, 'aria-disabled': isWaiting || undefined },
    /** Returns all errors of a field as one text, undefined without any. */
    getError: (field: FieldOf<S>) =>
      problems.flatMap(({ path, message }) => (path === field ? message : [])).join('. ') || undefined,
    formProps: {
      noValidate: true,
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault()
        if (!isBusy && !isWaiting) validate(event.currentTarget)
      },
      onInput: (event: FormEvent<HTMLFormElement>) => {
        const { name } = event.target as HTMLInputElement
        setProblems((current) => current.filter(({ path }) => path !== name))
        // The rate limit is per address: another one may be tried at once.
        if (name === 'email' && failure?.until) setFailure(undefined)
      },
    },
  }
}

/**
 * Handles what was typed before hydration, when nothing listened, and focuses the
 * first empty field. As a `ref` of a screen's main form.
 */
export function setUpForm(form: HTMLFormElement | null): void {
  if (!form) return
  const selector = 'input:not([hidden], [type=checkbox]), textarea'
  const fields = [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(selector)]
  for (const field of fields)
    if (field.value !== field.defaultValue) field.dispatchEvent(new Event('input', { bubbles: true }))
  // The person may already be typing; on phones the keyboard would cover half of the page.
  if (document.activeElement !== document.body || !matchMedia('(pointer: fine)').matches) return
  const first = fields.find(({ value }) => !value) ?? fields[0]
  first?.focus()
}

/** Keeps the failure until its wait is over or the connection is back. */
function useFailure() {
  const [failure, setFailure] = useState<FormFailure>()
  const isWaiting = useSecondsLeft(failure?.until) > 0
  const isOffline = failure?.isOffline
  useEffect(() => {
    if (!isOffline) return
    const showOnline = () =>
      setFailure({ title: 'A conexão voltou. Você já pode tentar de novo.', isOver: true })
    window.addEventListener('online', showOnline)
    return () => window.removeEventListener('online', showOnline)
  }, [isOffline])
  return { failure, setFailure, isWaiting }
}

/** Explains a failed request: the input is kept, and when to try again. */
export function toFormFailure(error: unknown): FormFailure {
  if (error instanceof NetworkError)
    return {
      title: navigator.onLine ? 'O portal não respondeu' : 'Você está sem conexão',
      text: 'Nada do que você digitou se perdeu.',
      isOffline: true,
    }
  if (!(error instanceof ApiError) || error.status >= 500)
    return { title: 'O portal não conseguiu concluir agora', text: 'Nada do que você digitou se perdeu.' }
  if (error.status !== 429 || !error.retryAfterSeconds) return { title: error.message }
  return {
    title: 'Foram pedidos demais em pouco tempo.',
    until: Date.now() + error.retryAfterSeconds * 1_000,
  }
}

function limitErrors(errors: readonly FieldProblem[], shows: FormOptions<FormSchema>['shows']) {
  if (shows === 'all') return errors
  if (shows === 'first') return errors.slice(0, 1)
  return errors.filter(({ path }, index) => errors.findIndex((each) => each.path === path) === index)
}

/** Returns the server's field errors; a rejected password counts as one of its field. */
export function toFieldErrors(error: unknown): readonly FieldProblem[] {
  if (!(error instanceof ApiError)) return []
  const fields = error.problem.fields ?? []
  if (error.problem.code !== 'password-rejected') return fields
  return [{ path: 'password', message: [error.message, ...fields.map(({ message }) => message)].join(' ') }]
}
