import { useEffect } from 'react'
import { FocusedNotice } from './focused-notice.tsx'
import { keepFocus, refreshAndKeepFocus } from './refresh-and-keep-focus.ts'

/** Says in a dialog that somebody else has deleted the person, and takes the row out of the table. */
export function PersonGone() {
  useEffect(() => {
    void refreshAndKeepFocus()
    // The button that opened the dialog has gone with the row.
    return () => void keepFocus()
  }, [])
  return (
    <FocusedNotice kind="warning" title="Esta conta não existe mais">
      Ela foi excluída nesse meio-tempo. A lista de usuários foi atualizada.
    </FocusedNotice>
  )
}
