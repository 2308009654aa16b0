import { type ComponentProps, type RefObject, useEffect, useRef, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import type { Conflict } from './use-profile-edit.ts'
import { keepFocus, refreshUsers } from './user-queries.ts'

interface AskingDialogProps extends ComponentProps<typeof FormDialog> {
  /** Something is ticked in it. */
  wouldLose: boolean
  /** Nobody knows whether what was asked for in it has been done. */
  isOutcomeUnknown: boolean
}

/** A dialog for many people at once, which asks before what is ticked in it would be lost. */
export function AskingDialog(given: AskingDialogProps) {
  const { wouldLose, isOutcomeUnknown, onCancel, children, ...props } = given
  const [isAsked, setIsAsked] = useState(false)
  const isLeaving = isAsked && wouldLose
  const close = wouldLose ? () => setIsAsked(!isAsked) : onCancel
  return (
    <FormDialog
      {...props}
      width="wide"
      onCancel={close}
      actions={
        isLeaving && (
          <>
            <Button key="discard" variant="outlineDanger" onClick={props.isBusy ? undefined : onCancel}>
              Descartar
            </Button>
            <Button key="stay" ref={(button) => button?.focus()} onClick={close}>
              Continuar alterando
            </Button>
          </>
        )
      }
    >
      {isLeaving && (
        <Alert kind="warning" title="Descartar o que você marcou?">
          {isOutcomeUnknown
            ? 'Não se sabe se o pedido anterior foi feito: confira a lista depois de fechar.'
            : 'Nada foi alterado ainda.'}
        </Alert>
      )}
      {children}
    </FormDialog>
  )
}

export function Person({ person }: { person: ManagedProfile }) {
  return (
    <>
      {person.full_name && (
        <span className="font-medium text-ink max-sm:block">
          {person.full_name}
          <span className="max-sm:hidden"> · </span>
        </span>
      )}
      {person.email}
    </>
  )
}

export function ConflictNotice({ conflict, advice }: { conflict: Conflict; advice: string }) {
  return (
    <FocusedNotice kind="warning" title="Nada foi sobrescrito: houve outra alteração nesse meio-tempo">
      <ul className="list-disc space-y-1 pl-4">
        {conflict.sentences.map((sentence) => (
          <li key={sentence}>
            <ChangeSentence text={sentence} />
          </li>
        ))}
      </ul>
      <p className="pt-2">{advice}</p>
    </FocusedNotice>
  )
}

/** Says in a dialog that somebody else has deleted the person, and takes the row out of the table. */
export function PersonGone() {
  useEffect(() => {
    void refreshUsers()
    // The button that opened the dialog has gone with the row.
    return () => void keepFocus()
  }, [])
  return (
    <FocusedNotice kind="warning" title="Esta conta não existe mais">
      Ela foi excluída nesse meio-tempo. A lista de usuários foi atualizada.
    </FocusedNotice>
  )
}

/** A notice that takes the focus when it comes: the button that was pressed means something else now, or has gone. */
export function FocusedNotice(props: ComponentProps<typeof Alert>) {
  const notice = useRef<HTMLDivElement>(null)
  useFocusWhenShown(notice)
  return (
    <div ref={notice} tabIndex={-1} className="rounded-lg">
      <Alert {...props} />
    </div>
  )
}

/**
 * Gives the focus to something that has just come into a dialog. In the frame after next, because until then
 * the dialog takes the focus itself when the button that had it has gone.
 * @param selector what takes it inside the element; the element itself unless said
 */
export function useFocusWhenShown(element: RefObject<HTMLElement | null>, selector?: string): void {
  useEffect(() => {
    const focus = () => {
      const target = selector ? element.current?.querySelector<HTMLElement>(selector) : element.current
      target?.focus()
    }
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(focus)
    })
    return () => cancelAnimationFrame(frame)
  }, [element, selector])
}

/** The sentence of a change, in which no line ends between a sign and what came or went. */
export function ChangeSentence({ text }: { text: string }) {
  return text.split(/([+−] \S+)/).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move
      <span key={index} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  )
}
