import { Link } from '@tanstack/react-router'
import Check from 'lucide-react/icons/check'
import Eye from 'lucide-react/icons/eye'
import Inbox from 'lucide-react/icons/inbox'
import Mail from 'lucide-react/icons/mail'
import MailOpen from 'lucide-react/icons/mail-open'
import Phone from 'lucide-react/icons/phone'
import Reply from 'lucide-react/icons/reply'
import Trash from 'lucide-react/icons/trash-2'
import UserRound from 'lucide-react/icons/user-round'
import { useId } from 'react'
import type { SupportMessage } from '#contract/support.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Button, buttonClasses, textLinkClasses } from '#web/ui/button.tsx'
import { describeMoment, formatInstant } from '#web/ui/format-instant.ts'
import { useMarkMessage, useRecordAnswer } from './message-queries.ts'

interface MessageCardProps {
  message: SupportMessage
  isOpen: boolean
  onToggle: () => void
  onRead: () => void
  onDelete: () => void
}

export function MessageCard({ message, isOpen, onToggle, onRead, onDelete }: MessageCardProps) {
  const { is_read, is_suspect } = message
  const isNew = !is_read && !is_suspect
  const marking = useMarkMessage(onRead)
  const answer = useRecordAnswer(onRead)
  const onAnswer = () => void answer.submit(message)
  const Icon = is_suspect ? Inbox : is_read ? MailOpen : Check
  const nameId = useId()
  return (
    <article
      aria-labelledby={nameId}
      tabIndex={-1}
      className={`overflow-hidden rounded-xl border bg-surface p-4 shadow-xs sm:p-5 ${isNew ? 'border-brand-strong ring-1 ring-brand-strong' : 'border-line'}`}
    >
      <div className="space-y-3">
        <Heading id={nameId} message={message} isNew={isNew} />
        <ContactLinks message={message} onAnswer={is_suspect ? undefined : onAnswer} />
        <CollapsibleText
          text={sanitizeText(message.message)}
          isNeverCollapsed={isProblemReport(message)}
          isOpen={isOpen}
          onToggle={onToggle}
        />
        <footer className="flex flex-wrap items-center justify-end gap-2 max-sm:-mx-2 max-sm:gap-1 max-sm:*:px-2 max-sm:[&_svg]:hidden">
          {message.handled && <HandledBy {...message.handled} />}
          {!is_suspect && (
            <a
              onClick={onAnswer}
              href={toReplyLink(message, portalSettings.groupName)}
              aria-describedby={nameId}
              className={buttonClasses('ghost')}
            >
              <Reply aria-hidden="true" className="size-4" />
              Responder
            </a>
          )}
          <Button
            // A new key: the second press of a double click must not undo the first.
            key={String(is_read)}
            variant={is_read ? 'ghost' : 'secondary'}
            isBusy={marking.isBusy}
            onClick={() => void marking.submit(message)}
            aria-describedby={nameId}
          >
            <Icon aria-hidden="true" className="size-4" />
            {is_suspect ? 'Mover para a entrada' : is_read ? 'Marcar como não lida' : 'Marcar como lida'}
          </Button>
          <Button variant="ghost" onClick={onDelete} aria-describedby={nameId}>
            <Trash aria-hidden="true" className="size-4" />
            Excluir
          </Button>
        </footer>
      </div>
    </article>
  )
}

/** 'Tratada por Ana Prado, hoje às 09:12'; without a name where the account was deleted. */
function HandledBy({ by, at, answered }: NonNullable<SupportMessage['handled']>) {
  return (
    <p className="min-w-0 flex-1 basis-0 text-muted text-xs max-sm:basis-full">
      {answered ? 'Respondida ' : 'Tratada '}
      {by !== null && (
        <>
          por <bdi>{by}</bdi>,{' '}
        </>
      )}
      <time dateTime={at} className="tabular-nums">
        {describeMoment(at)}
      </time>
    </p>
  )
}

function Heading({ id, message, isNew }: { id: string; message: SupportMessage; isNew: boolean }) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
      <h2 id={id} className="min-w-0 font-semibold text-base">
        <bdi>{stripBidi(message.name)}</bdi>
        {isNew && (
          <span className="ml-2 inline-block rounded-full bg-brand px-2 align-middle font-medium text-brand-foreground text-xs leading-5">
            Nova
          </span>
        )}
      </h2>
      <time dateTime={message.created_at} className="text-muted text-sm tabular-nums">
        {formatInstant(message.created_at)}
      </time>
    </header>
  )
}

/** Links to answer by mail, quoting the message, or by phone. */
function ContactLinks({
  message,
  onAnswer,
}: {
  message: SupportMessage
  onAnswer: (() => void) | undefined
}) {
  const { email, phone, account } = message
  const callTo = toPhoneLink(phone)
  const classes = `inline-flex min-w-0 items-center gap-1.5 ${textLinkClasses}`
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      <a
        href={toReplyLink(message, portalSettings.groupName)}
        onClick={onAnswer}
        className={classes}
        title="Responder por e-mail"
      >
        <Mail aria-hidden="true" className="size-4 shrink-0" />
        <bdi>{email}</bdi>
      </a>
      {callTo && (
        <a href={callTo} className={classes} title="Ligar">
          <Phone aria-hidden="true" className="size-4 shrink-0" />
          <bdi>{stripBidi(phone)}</bdi>
        </a>
      )}
      {!callTo && hasPhone(phone) && (
        <span className="inline-flex min-w-0 items-center gap-1.5 text-muted">
          <Phone aria-hidden="true" className="size-4 shrink-0" />
          <bdi>{stripBidi(phone)}</bdi>
        </span>
      )}
      {account && (
        <>
          <Link to="/admin/pessoas" search={{ pessoa: account }} className={classes}>
            <UserRound aria-hidden="true" className="size-4 shrink-0" />
            Conta deste e-mail
          </Link>
          <Link to="/admin/ver-como/$userId" params={{ userId: account }} className={classes}>
            <Eye aria-hidden="true" className="size-4 shrink-0" />
            Ver como
          </Link>
        </>
      )}
    </div>
  )
}

/** Reports from 'Relatar problema' are never collapsed: their details are at the end. */
function isProblemReport({ phone, message }: SupportMessage): boolean {
  return !hasPhone(phone) && message.startsWith('Problema no relatório ')
}

const MAX_COLLAPSED_LINES = 6
const MAX_COLLAPSED_CHARACTERS = 400

interface CollapsibleTextProps {
  text: string
  isNeverCollapsed: boolean
  isOpen: boolean
  onToggle: () => void
}

/** Untrusted text, rendered as plain text; folded if long. */
function CollapsibleText({ text, isNeverCollapsed, isOpen, onToggle }: CollapsibleTextProps) {
  const start = [...text.split('\n').slice(0, MAX_COLLAPSED_LINES).join('\n')]
    .slice(0, MAX_COLLAPSED_CHARACTERS)
    .join('')
  const isLong = !isNeverCollapsed && start !== text
  return (
    <div className="space-y-1">
      <p dir="auto" className="whitespace-pre-wrap text-sm leading-relaxed">
        {isLong && !isOpen ? `${start.trimEnd()}…` : text}
      </p>
      {isLong && (
        <button
          type="button"
          onClick={onToggle}
          aria-expanded={isOpen}
          className={`text-sm ${textLinkClasses}`}
        >
          {isOpen ? 'Mostrar menos' : 'Mostrar tudo'}
        </button>
      )}
    </div>
  )
}

/** Some mail programs cut or refuse longer mailto URLs. */
const MAX_QUOTED_CHARACTERS = 300

/** Builds a mailto URL for an answer with a subject and the quoted message (RFC 6068). */
export function toReplyLink({ email, message, created_at }: SupportMessage, groupName: string): string {
  const [local = '', domain = ''] = splitEmail(email)
  const characters = [...stripBidi(message)]
  const cut = characters.length > MAX_QUOTED_CHARACTERS ? '…' : ''
  const quoted = (characters.slice(0, MAX_QUOTED_CHARACTERS).join('') + cut)
    .split('\n')
    .map((line) => `> ${line}`)
  const body = ['', '', `Em ${formatInstant(created_at)}, você escreveu:`, ...quoted].join('\r\n')
  const subject = `Sua mensagem para ${groupName}`
  return `mailto:${encodeSafely(local)}@${encodeSafely(domain)}?subject=${encodeSafely(subject)}&body=${encodeSafely(body)}`
}

/** Builds a tel URL for the leading number of a text; undefined without one. */
export function toPhoneLink(phone: string): string | undefined {
  const number = /^[\d\s().+-]+/.exec(phone)?.[0] ?? ''
  const digits = number.replace(/\D/g, '')
  if (digits.length < 3) return undefined
  return `tel:${number.trimStart().startsWith('+') ? '+' : ''}${digits}`
}

/** Whether there is a phone number to show: problem reports have a dash. */
export function hasPhone(phone: string): boolean {
  return /[\p{L}\p{N}]/u.test(phone)
}

function splitEmail(email: string): [local: string, domain: string] {
  const at = email.lastIndexOf('@')
  return [email.slice(0, at), email.slice(at + 1)]
}

/** Replaces lone surrogates, on which encodeURIComponent would throw. */
function encodeSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Bidi control characters that reverse the text after them (Unicode TR9): 'fdp.exe' reads 'exe.pdf'. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** Removes bidi controls from untrusted text; right-to-left languages do not need them. */
export function stripBidi(text: string): string {
  return text.replace(DIRECTION_CONTROLS, '')
}

/** Limits runs of blank lines to two in plain text, so that none can push the rest out of sight. */
export function sanitizeText(text: string): string {
  return stripBidi(text).replace(/\n(?:[^\S\n]*\n){3,}/g, '\n\n\n')
}
