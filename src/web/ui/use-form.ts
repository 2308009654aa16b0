import { type FormEvent, useRef, useState } from 'react'
import { closeToasts, showToast, type ToastContent } from './toast-store.ts'

/** A field whose value will not do, and the sentence that stands beside it. */
export interface FieldFailure<F extends string> {
  field: F
  message: string
}

export interface FormRules<F extends string> {
  /** The fields by their names, in the order of the page. */
  fields: readonly F[]
  /** Every rule that is broken, in the specification's order. */
  check: (values: Record<F, string>) => FieldFailure<F>[]
  /** The notice for the first broken rule; its message alone unless said. */
  noticeOf?: (failure: FieldFailure<F>) => ToastContent
  /** A notice for every broken rule, not for the first alone. */
  hasNoticeForEach?: boolean
  /** Sends what has passed; what the server finds wrong with a field comes back. Must not throw. */
  send: (values: Record<F, string>, form: HTMLFormElement) => Promise<FieldFailure<F>[] | undefined>
}

/**
 * A form from the press of its button to what the server says: each error beside its field, a notice for the
 * first one and the focus on its field, and one request at a time. Inputs are uncontrolled and read by name.
 */
export function useForm<F extends string>(rules: FormRules<F>) {
  const { fields, check, noticeOf, hasNoticeForEach = false, send } = rules
  const [failures, setFailures] = useState<FieldFailure<F>[]>([])
  const [isBusy, setIsBusy] = useState(false)
  const isRunning = useRef(false)

  const show = (found: FieldFailure<F>[], form: HTMLFormElement) => {
    setFailures(found)
    const input = found[0] && form.elements.namedItem(found[0].field)
    if (input instanceof HTMLElement) input.focus()
  }
  const submit = async (form: HTMLFormElement) => {
    closeToasts()
    const data = new FormData(form)
    const values = Object.fromEntries(
      fields.map((field) => [field, String(data.get(field) ?? '')]),
    ) as Record<F, string>
    const broken = check(values)
    show(broken, form)
    for (const failure of hasNoticeForEach ? broken : broken.slice(0, 1))
      showToast(noticeOf?.(failure) ?? { kind: 'error', title: failure.message })
    if (broken.length > 0) return
    isRunning.current = true
    setIsBusy(true)
    const refused = await send(values, form).finally(() => {
      isRunning.current = false
      setIsBusy(false)
    })
    if (refused) show(refused, form)
  }
  return {
    isBusy,
    /** Every sentence about a field, as one text; undefined without any. */
    errorOf: (field: F) =>
      failures.flatMap((each) => (each.field === field ? each.message : [])).join('. ') || undefined,
    formProps: {
      noValidate: true,
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault()
        if (!isRunning.current) void submit(event.currentTarget)
      },
      onInput: (event: FormEvent<HTMLFormElement>) => {
        const { name } = event.target as HTMLInputElement
        setFailures((current) => current.filter(({ field }) => field !== name))
      },
    },
  }
}
