import { useEffect, useState } from 'react'
import type { ShownNotice } from '#contract/notices.ts'
import { callPublic } from '#web/http/api.ts'
import { KindIcon } from '#web/ui/alert.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { SEVERITIES } from '#web/ui/notice-lines.tsx'

/** A page that stays open sees what starts and ends. */
const POLL_MS = 60_000

/** The notice for visitors, in the gap above the heading, so that nothing moves when it arrives. */
export function LoginNotice() {
  const [notice, setNotice] = useState<ShownNotice>()
  useEffect(() => {
    const read = () => {
      if (document.visibilityState === 'hidden') return
      callPublic('GET /api/notices/public').then(
        ({ items }) => setNotice(items[0]),
        // The last one stands on.
        () => {},
      )
    }
    read()
    const timer = setInterval(read, POLL_MS)
    document.addEventListener('visibilitychange', read)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', read)
    }
  }, [])
  return (
    <div role="status" className="-inset-x-2 absolute top-full mt-0.5 max-[21.5rem]:static">
      {notice && (
        <p
          className={classNames(
            'flex items-center gap-2 rounded-md border px-2 py-px text-xs leading-4',
            SEVERITIES[notice.severity].tint,
          )}
        >
          <KindIcon kind={SEVERITIES[notice.severity].kind} />
          <span className="min-w-0 break-words">
            <span className="sr-only">{SEVERITIES[notice.severity].label}: </span>
            {notice.text}
          </span>
        </p>
      )}
    </div>
  )
}
