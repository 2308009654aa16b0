import X from 'lucide-react/icons/x'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Severity, ShownNotice } from '#contract/notices.ts'
import { KindIcon, type NoticeKind } from './alert.tsx'
import { classNames } from './class-names.ts'
import { getMainElement } from './main-element.ts'
import { Tooltip } from './tooltip.tsx'

export const SEVERITIES: Record<Severity, { label: string; kind: NoticeKind; tint: string }> = {
  info: { label: 'Informação', kind: 'info', tint: 'border-info/25 bg-info-soft' },
  warning: { label: 'Atenção', kind: 'warning', tint: 'border-warning/30 bg-warning-soft' },
  problem: { label: 'Problema', kind: 'error', tint: 'border-danger/25 bg-danger-soft' },
}

interface NoticeLinesProps {
  /** The most severe first. */
  notices: readonly ShownNotice[]
  onClose: (notice: ShownNotice) => void
}

/** Notices as one slim line, on phones two; a press shows the rest of it, and the other ones. */
export function NoticeLines({ notices, onClose }: NoticeLinesProps) {
  const list = useRef<HTMLUListElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const { text, isCut } = useIsCut(notices[0]?.id)
  const wasClosed = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button that had the focus is gone
  useEffect(() => {
    if (!wasClosed.current) return
    wasClosed.current = false
    const next = list.current?.querySelector<HTMLElement>('[data-close]') ?? getMainElement()
    next?.focus()
  }, [notices])
  const hasMore = notices.length > 1 || isCut || isOpen
  if (notices.length === 0) return null
  return (
    <ul ref={list} aria-label="Avisos" className={classNames(isOpen && 'max-h-[40dvh] overflow-y-auto')}>
      {notices.slice(0, isOpen ? undefined : 1).map((notice, index) => (
        <li
          key={notice.id}
          className={classNames(
            'flex min-h-9 items-center gap-2 border-b pr-1 pl-4 text-ink text-sm',
            SEVERITIES[notice.severity].tint,
            isOpen && 'max-sm:flex-wrap',
          )}
        >
          <KindIcon kind={SEVERITIES[notice.severity].kind} />
          <p
            ref={index === 0 ? text : undefined}
            className={classNames(
              'min-w-0 flex-1 break-words',
              isOpen ? 'py-2' : 'line-clamp-2 sm:line-clamp-1',
            )}
          >
            <span className="sr-only">{SEVERITIES[notice.severity].label}: </span>
            <TextWithLinks>{notice.text}</TextWithLinks>
          </p>
          {index === 0 && hasMore && (
            <button
              type="button"
              aria-expanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
              className={classNames(
                'h-11 shrink-0 rounded-sm px-2 font-medium text-xs underline-offset-4 hover:underline sm:h-9',
                // Below the text, which has no room beside it.
                isOpen && 'max-sm:order-last max-sm:basis-full max-sm:pl-6 max-sm:text-left',
              )}
            >
              {isOpen ? 'Mostrar menos' : notices.length > 1 ? `Mais ${notices.length - 1}` : 'Ler tudo'}
            </button>
          )}
          <Tooltip text="Fechar aviso">
            <button
              type="button"
              data-close
              aria-label={`Fechar aviso: ${notice.text}`}
              onClick={() => {
                wasClosed.current = true
                onClose(notice)
              }}
              className="inline-flex size-11 shrink-0 items-center justify-center rounded-lg text-muted hover:text-ink focus-visible:-outline-offset-2 sm:size-9"
            >
              <X aria-hidden="true" className="size-4" />
            </button>
          </Tooltip>
        </li>
      ))}
    </ul>
  )
}

/** Whether a text is longer than its lines. */
function useIsCut(id: string | undefined) {
  const text = useRef<HTMLParagraphElement>(null)
  const [isCut, setIsCut] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another notice has another element
  useLayoutEffect(() => {
    const element = text.current
    if (!element) return
    const observer = new ResizeObserver(() => setIsCut(element.scrollHeight > element.clientHeight + 1))
    observer.observe(element)
    return () => observer.disconnect()
  }, [id])
  return { text, isCut }
}

const ADDRESS = /https:\/\/[^\s<>"']+/g
/** What ends a sentence rather than an address. */
const AFTER_ADDRESS = /[.,;:!?)\]}…]+$/

/** Plain text whose https addresses are links. */
function TextWithLinks({ children }: { children: string }) {
  const parts: ReactNode[] = []
  let end = 0
  for (const { 0: found, index } of children.matchAll(ADDRESS)) {
    const address = found.replace(AFTER_ADDRESS, '')
    const url = URL.parse(address)
    // A name before the host could pass for another site.
    if (!url?.hostname.includes('.') || url.username || url.password) continue
    parts.push(
      <span key={`before ${index}`}>{children.slice(end, index)}</span>,
      <a
        key={index}
        href={url.href}
        target="_blank"
        rel="noopener noreferrer"
        className="font-medium underline underline-offset-2"
      >
        {address}
      </a>,
    )
    end = index + address.length
  }
  return (
    <>
      {parts}
      {children.slice(end)}
    </>
  )
}
