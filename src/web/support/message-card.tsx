import Check from 'lucide-react/icons/check'
import Mail from 'lucide-react/icons/mail'
import Phone from 'lucide-react/icons/phone'
import Trash from 'lucide-react/icons/trash-2'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { SupportMessage } from '#contract/support.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { Button } from '#web/ui/button.tsx'
import { formatInstant } from '#web/ui/format-instant.ts'
import { textLinkClasses } from '#web/ui/text-link.ts'
import { compactText, hasPhone, phoneLink, plainText, replyLink } from './message-links.ts'
import { useMarkRead } from './message-queries.ts'

interface MessageCardProps {
  message: SupportMessage
  isOpen: boolean
  onToggle: () => void
  /** Called when it has been marked as read, and the list read again. */
  onRead: () => void
  onDelete: () => void
}

/** One message. Whatever it holds stays inside the card and is text. */
export function MessageCard({ message, isOpen, onToggle, onRead, onDelete }: MessageCardProps) {
  const { is_read } = message
  const marking = useMarkRead(onRead)
  const nameId = useId()
  return (
    <article
      aria-labelledby={nameId}
      tabIndex={-1}
      className={`overflow-hidden rounded-xl border bg-surface p-4 shadow-xs sm:p-5 ${is_read ? 'border-line' : 'border-brand-strong ring-1 ring-brand-strong'}`}
    >
      <div className="space-y-3">
        <Heading id={nameId} message={message} />
        <ContactLinks message={message} />
        <FoldedText
          text={compactText(message.message)}
          isWhole={isProblemReport(message)}
          isOpen={isOpen}
          onToggle={onToggle}
        />
        <footer className="flex flex-wrap justify-end gap-2">
          {!is_read && (
            <Button
              variant="secondary"
              isBusy={marking.isBusy}
              onClick={() => void marking.submit(message)}
              aria-describedby={nameId}
            >
              <Check aria-hidden="true" className="size-4" />
              Marcar como lida
            </Button>
          )}
          <Button variant="ghost" onClick={onDelete} aria-describedby={nameId}>
            <Trash aria-hidden="true" className="size-4" />
            Excluir
          </Button>
        </footer>
      </div>
    </article>
  )
}

/** Who wrote, and when. */
function Heading({ id, message }: { id: string; message: SupportMessage }) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
      <h2 id={id} className="min-w-0 font-semibold text-base">
        <bdi>{plainText(message.name)}</bdi>
        {!message.is_read && (
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

/** How to answer: a mail with the message quoted, or a call. */
function ContactLinks({ message }: { message: SupportMessage }) {
  const { email, phone } = message
  const callTo = phoneLink(phone)
  const classes = `inline-flex min-w-0 items-center gap-1.5 ${textLinkClasses}`
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      <a href={replyLink(message, portalSettings.groupName)} className={classes} title="Responder por e-mail">
        <Mail aria-hidden="true" className="size-4 shrink-0" />
        <bdi>{email}</bdi>
      </a>
      {callTo && (
        <a href={callTo} className={classes} title="Ligar">
          <Phone aria-hidden="true" className="size-4 shrink-0" />
          <bdi>{plainText(phone)}</bdi>
        </a>
      )}
      {!callTo && hasPhone(phone) && (
        <span className="inline-flex min-w-0 items-center gap-1.5 text-muted">
          <Phone aria-hidden="true" className="size-4 shrink-0" />
          <bdi>{plainText(phone)}</bdi>
        </span>
      )}
    </div>
  )
}

/** Filed by 'Relatar problema': short, and what the IT team needs of it stands at its end. */
function isProblemReport({ phone, message }: SupportMessage): boolean {
  return !hasPhone(phone) && message.startsWith('Problema no relatório ')
}

interface FoldedTextProps {
  text: string
  /** Never folded. */
  isWhole: boolean
  isOpen: boolean
  onToggle: () => void
}

/** Text of anybody's, as it was written and never more than that; what is longer than six lines is folded. */
export function FoldedText({ text, isWhole, isOpen, onToggle }: FoldedTextProps) {
  const paragraph = useRef<HTMLParagraphElement>(null)
  const [isLong, setIsLong] = useState(false)
  useLayoutEffect(() => {
    const element = paragraph.current
    if (!element) return
    const measure = () => {
      if (!isOpen) setIsLong(element.scrollHeight > element.clientHeight + 1)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [isOpen])
  return (
    <div className="space-y-1">
      <p
        ref={paragraph}
        dir="auto"
        className={`whitespace-pre-wrap text-sm leading-relaxed ${isOpen || isWhole ? '' : 'line-clamp-6'}`}
      >
        {text}
      </p>
      {!isWhole && (isLong || isOpen) && (
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
