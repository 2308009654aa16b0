import { type ComponentProps, type RefObject, useEffect, useRef, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { Alert, Sentence } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import { useBackBlocker } from '#web/ui/use-back-blocker.ts'
import type { Conflict } from './use-profile-edit.ts'
import { refreshUsers, restoreFocus } from './user-queries.ts'

interface GuardedFormDialogProps extends ComponentProps<typeof FormDialog> {
  hasUnsavedChanges: boolean
  /** The previous request failed without a reply, so its outcome is unknown. */
  isOutcomeUnknown: boolean
}

/** A form dialog for many people that asks before it discards unsaved changes. */
export function GuardedFormDialog(allProps: GuardedFormDialogProps) {
  const { hasUnsavedChanges, isOutcomeUnknown, onCancel, children, ...props } = allProps
  const [isConfirming, setIsConfirming] = useState(false)
  const isConfirmingDiscard = isConfirming && hasUnsavedChanges
  useBackBlocker(hasUnsavedChanges)
  const close = hasUnsavedChanges ? () => setIsConfirming(!isConfirming) : onCancel
  return (
    <FormDialog
      {...props}
      width="wide"
      onCancel={close}
      actions={
        isConfirmingDiscard && (
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
      {isConfirmingDiscard && (
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
            <Sentence text={sentence} />
          </li>
        ))}
      </ul>
      <p className="pt-2">{advice}</p>
    </FocusedNotice>
  )
}

/** Shows that the person has been deleted meanwhile, and refetches the table. */
export function PersonGone() {
  useEffect(() => {
    void refreshUsers()
    // The button that opened the dialog has been removed with the row.
    return () => void restoreFocus()
  }, [])
  return (
    <FocusedNotice kind="warning" title="Esta conta não existe mais">
      Ela foi excluída nesse meio-tempo. A lista de usuários foi atualizada.
    </FocusedNotice>
  )
}

/** A notice that takes the focus when it appears: the pressed button has changed or gone. */
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
 * Focuses an element that has just appeared in a dialog, two frames later: until then the dialog
 * moves the focus itself when the focused button has been removed.
 * @param selector what to focus inside the element; by default the element itself
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
