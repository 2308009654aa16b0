import { Dialog as Primitive } from '@base-ui/react/dialog'
import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { Sentence } from './alert.tsx'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { useBackBlocker } from './use-back-blocker.ts'

const widths = {
  medium: 'w-[min(28rem,calc(100vw-2rem))]',
  wide: 'w-[min(40rem,calc(100vw-2rem))]',
}

/** Longer than the interval between the presses of a double click. */
const DOUBLE_CLICK_MS = 600
/** Nobody reads a question and answers it sooner. */
const READING_MS = 500

interface DialogProps {
  isOpen: boolean
  title: string
  description?: ReactNode
  /** Called when the person dismisses it; without it the dialog cannot be dismissed. */
  onClose?: (() => void) | undefined
  /** Unsaved changes: a click outside, such as a stray tap on a phone, does not close it. */
  hasChanges?: boolean
  children?: ReactNode
  /** What the buttons would do, beside them: the end of a long form may be below the fold. */
  note?: ReactNode
  /** The buttons, the primary one last; sticky while the rest scrolls. */
  actions?: ReactNode
  width?: keyof typeof widths
  /** Receives the focus first; the first focusable element by default. */
  initialFocus?: RefObject<HTMLElement | null>
  /** Receives the focus after it closes; the previously focused element by default. */
  finalFocus?: () => HTMLElement | null | undefined
  /** What it asks: the press that leads to another question does not answer that one too. */
  question?: string | number | undefined
  /** One of a series: its height and the place of its buttons stay, and a press beside it does nothing. */
  isSteady?: boolean
}

/** A modal dialog: traps the focus; Escape and a click outside close it where onClose is given. */
export function Dialog(props: DialogProps) {
  const { isOpen, title, description, onClose, hasChanges = false, children, actions } = props
  const { width = 'medium', initialFocus, finalFocus, question, note, isSteady = false } = props
  const isDeaf = useReadingPause(question, isSteady)
  const openedAt = useRef(0)
  useBackBlocker(isOpen && hasChanges)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question counts as opened anew
  useEffect(() => {
    if (isOpen) openedAt.current = performance.now()
  }, [isOpen, question])
  // The second press of a double click was aimed at the button that led here.
  const isDoubleClick = () => performance.now() - openedAt.current < DOUBLE_CLICK_MS
  return (
    <Primitive.Root
      open={isOpen}
      disablePointerDismissal={!onClose || hasChanges || isSteady}
      onOpenChange={(open, { reason, event }) => {
        const isStray = reason === 'outside-press' && event instanceof UIEvent && event.detail !== 1
        if (!open && !(isStray && isDoubleClick())) onClose?.()
      }}
    >
      <Primitive.Portal>
        <Primitive.Backdrop className="fixed inset-0 z-30 bg-black/45 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Primitive.Popup
          initialFocus={initialFocus}
          finalFocus={() => finalFocus?.() ?? true}
          onClickCapture={(event) => {
            if (event.detail > 1 && isDoubleClick()) event.stopPropagation()
          }}
          className={classNames(
            'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col',
            'scroll-pt-4 scroll-pb-24 overflow-y-auto rounded-xl border border-line bg-raised px-6 pt-6 text-ink shadow-xl',
            'transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0',
            actions ? 'pb-0' : 'pb-6',
            isSteady && 'h-208',
            // On narrow windows the toasts are at the top: they must not cover whom it is about.
            'max-lg:top-[calc(50%+var(--toasts-end,0px)/2)] max-lg:max-h-[calc(100dvh-2rem-var(--toasts-end,0px))]',
            widths[width],
          )}
        >
          <Primitive.Title className="font-semibold text-lg leading-snug">
            <Sentence text={title} />
          </Primitive.Title>
          {description && (
            <Primitive.Description className="mt-2 text-muted text-sm">{description}</Primitive.Description>
          )}
          {children && <div className="mt-4 grow">{children}</div>}
          {actions && (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset has a look of its own
            <div
              role="group"
              aria-disabled={isDeaf || undefined}
              // A key has no detail; each question has a button of its own for those.
              onClickCapture={(event) => {
                if (!isDeaf || event.detail === 0) return
                event.stopPropagation()
                event.preventDefault()
              }}
              className="-mx-6 sticky bottom-0 mt-2 flex flex-wrap justify-end gap-2 rounded-b-xl border-line bg-raised px-6 pt-4 pb-6 max-sm:mt-4 max-sm:border-t max-sm:pb-4"
            >
              {note && (
                <div className="max-h-[min(10rem,25dvh)] min-w-48 flex-1 self-center overflow-y-auto text-sm max-sm:basis-full">
                  {note}
                </div>
              )}
              {actions}
            </div>
          )}
        </Primitive.Popup>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

/**
 * Returns whether the question has just changed: the pointer may still be where the last answer was.
 * @param isOneOfMany whether the dialog before asked something too
 */
function useReadingPause(question: DialogProps['question'], isOneOfMany: boolean): boolean {
  const [read, setRead] = useState(isOneOfMany ? undefined : question)
  useEffect(() => {
    const timer = setTimeout(() => setRead(question), READING_MS)
    return () => clearTimeout(timer)
  }, [question])
  return read !== question
}

interface AnswerProps extends Omit<DialogProps, 'isOpen' | 'onClose'> {
  isOpen?: boolean
  confirmLabel: ReactNode
  cancelLabel?: string
  /** In progress: the dialog can neither be closed nor confirmed again. */
  isBusy?: boolean
  isDisabled?: boolean
  /** Finished: the only button left closes it. */
  isOver?: boolean
  /** Also the key of the confirm button, so that a double Enter confirms only one. */
  question?: string | number | undefined
  onCancel: (() => void) | undefined
}

/** A dialog with a cancel button and a confirm button. */
function AnswerDialog({ button, ...props }: AnswerProps & { button: ComponentProps<typeof Button> }) {
  const { isOpen = true, confirmLabel, cancelLabel = 'Cancelar', isBusy = false, ...rest } = props
  const { isDisabled = false, isOver = false, question, onCancel, actions, ...dialog } = rest
  const cancel = isBusy ? undefined : onCancel
  const answers = isOver ? (
    <Button key="close" onClick={cancel}>
      Fechar
    </Button>
  ) : (
    <>
      <Button
        variant="secondary"
        aria-disabled={isBusy || undefined}
        title={isBusy ? 'O pedido já saiu: espere a resposta' : undefined}
        onClick={cancel}
      >
        {cancelLabel}
      </Button>
      <Button key={question} isBusy={isBusy} disabled={isDisabled} {...button}>
        {confirmLabel}
      </Button>
    </>
  )
  return (
    <Dialog {...dialog} question={question} isOpen={isOpen} onClose={cancel} actions={actions || answers} />
  )
}

/** Asks for confirmation of an irreversible action. */
export function ConfirmDialog({ onConfirm, ...props }: AnswerProps & { onConfirm: () => void }) {
  return <AnswerDialog {...props} button={{ variant: 'danger', onClick: onConfirm }} />
}

interface FormDialogProps extends AnswerProps {
  /** The content is still loading: the confirm button waits, but the dialog can be closed. */
  isWaiting?: boolean
  onSubmit: () => void
}

export function FormDialog({ isWaiting = false, onSubmit, children, ...props }: FormDialogProps) {
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  const isBusy = isWaiting || props.isBusy === true
  return (
    <AnswerDialog {...props} button={{ type: 'submit', form: id, isBusy }}>
      {props.isOver ? (
        children
      ) : (
        <form id={id} noValidate onSubmit={submit} aria-label={props.title} className="space-y-4">
          {children}
        </form>
      )}
    </AnswerDialog>
  )
}
