import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ShownNotice } from '#contract/notices.ts'
import { callApi } from '#web/http/api.ts'
import { NoticeLines } from '#web/ui/notice-lines.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'

const ownNoticesQuery = (userId: string) =>
  queryOptions({
    queryKey: ['own-notices', userId],
    queryFn: async ({ signal }) => (await callApi('GET /api/notices', { signal })).items,
  })

/** The person's notices, live, until they close them. @param initial those that came with the reports */
export function NoticesBar({ userId, initial = [] }: { userId: string; initial: ShownNotice[] | undefined }) {
  const query = ownNoticesQuery(userId)
  const { data = [] } = useQuery({ ...query, initialData: initial })
  // What is read while one is being closed may still have it. A changed one is shown again.
  const [closed, setClosed] = useState<readonly ShownNotice[]>([])
  const isOpen = ({ id, text, severity }: ShownNotice) =>
    !closed.some((notice) => notice.id === id && notice.text === text && notice.severity === severity)
  const close = async (notice: ShownNotice) => {
    setClosed((all) => [...all, notice])
    try {
      await callApi('POST /api/notices/{id}/close', { params: { id: notice.id } })
    } catch (error) {
      showToast(toFailureToast('O aviso não pôde ser fechado', error))
      setClosed((all) => all.filter((each) => each !== notice))
    }
  }
  return (
    <div
      role="status"
      className="below-report shrink-0 group-has-data-[whole-height=always]/frame:hidden sideways:group-has-data-whole-height/frame:hidden"
    >
      <NoticeLines notices={data.filter(isOpen)} onClose={(notice) => void close(notice)} />
    </div>
  )
}
