import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { FocusedNotice } from './focused-notice.tsx'
import { readApproval } from './read-conflict.ts'
import { refreshAndKeepFocus } from './refresh-and-keep-focus.ts'

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
