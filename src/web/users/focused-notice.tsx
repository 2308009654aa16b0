import { type ComponentProps, useRef } from 'react'
import { Alert } from '#web/ui/alert.tsx'
import { useFocusWhenShown } from './use-focus-when-shown.ts'

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
