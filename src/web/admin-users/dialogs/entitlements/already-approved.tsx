import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readApproval } from '#web/admin-users/changes/read-conflict.ts'
import { refreshAndKeepFocus } from '#web/admin-users/changes/refresh-and-keep-focus.ts'
import { FocusedNotice } from '#web/admin-users/dialogs/focused-notice.tsx'

/** Says that somebody else has approved the person meanwhile, by whom where that is known, and reads the table again. */
export function AlreadyApproved({ userId }: { userId: string }) {
  useEffect(() => void refreshAndKeepFocus(), [])
  const { data: sentence } = useQuery({
    queryKey: ['approval-in-dialog', userId],
    // Null, because a query's answer must not be undefined.
    queryFn: async () => (await readApproval(userId)) ?? null,
    gcTime: 0,
  })
  return (
    <FocusedNotice kind="info" title="Esta conta já foi aprovada">
      {sentence && <p>{sentence}.</p>}
      <p>Nada mudou agora. Tipos, marcas e estados podem ser alterados nos botões da linha.</p>
    </FocusedNotice>
  )
}
