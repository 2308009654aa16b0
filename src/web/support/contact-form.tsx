import { type FormEvent, useRef, useState } from 'react'
import { contactMessages } from '#contract/support.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { HumanCheck, type HumanCheckHandle } from '#web/human-check/human-check.tsx'
import { getSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { EmailField } from '#web/ui/email-field.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { CONTACT_FIELDS, type ContactField } from './check-contact.ts'
import { type ContactDraft, keepDraft, readDraft } from './contact-draft.ts'
import { Honeypot } from './honeypot.tsx'
import { MessageField } from './message-field.tsx'
import { PhoneField } from './phone-field.tsx'
import { useContactForm } from './use-contact-form.ts'

/** Nome, E-mail, Celular and the message (SPEC section 2, /contato). What is typed survives failures and reloads. */
export function ContactForm() {
  const [initial, setInitial] = useState(initialValues)
  const [sentCount, setSentCount] = useState(0)
  const fields = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const humanCheck = useRef<HumanCheckHandle>(null)
  const { formProps, isBusy, errorOf } = useContactForm(humanCheck, () => {
    // The fields are about to be replaced, and the focus would be lost with them.
    if (fields.current?.contains(document.activeElement)) button.current?.focus()
    setInitial({})
    setSentCount((count) => count + 1)
  })
  const onInput = (event: FormEvent<HTMLFormElement>) => {
    formProps.onInput(event)
    keepDraft(valuesOf(event.currentTarget))
  }
  const shared = (field: ContactField) => ({
    name: field,
    required: true,
    defaultValue: initial[field],
    // What is typed while it is being sent would be emptied unsent.
    readOnly: isBusy,
    error: errorOf(field),
  })
  return (
    <form {...formProps} onInput={onInput} className="space-y-5" aria-label="Entre em Contato">
      {/* A new key empties the fields. */}
      <div key={sentCount} ref={fields} className="space-y-5">
        <TextField {...shared('name')} label="Nome" autoComplete="name" />
        <EmailField {...shared('email')} autoComplete="email" />
        <PhoneField {...shared('phone')} />
        <MessageField {...shared('message')} />
        <Honeypot />
      </div>
      {portalSettings.contactCaptcha && <HumanCheck ref={humanCheck} onPass={noop} />}
      <Button ref={button} type="submit" size="large" className="w-full" isBusy={isBusy}>
        {isBusy ? contactMessages.sending : contactMessages.send}
      </Button>
    </form>
  )
}

/** The draft; without one, somebody who is signed in need not type the address. */
function initialValues(): ContactDraft {
  const email = getSession()?.user.email
  return { ...(email && { email }), ...readDraft() }
}

function valuesOf(form: HTMLFormElement): ContactDraft {
  const data = new FormData(form)
  return Object.fromEntries(CONTACT_FIELDS.map((field) => [field, String(data.get(field) ?? '')]))
}

/** The form asks for the pass when it is sent. */
function noop() {}
