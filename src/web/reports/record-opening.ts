import { useEffect, useRef } from 'react'
import { MAX_TIMING_MS, TIMED_SHARE } from '#contract/usage-rules.ts'
import { callApi } from '#web/http/api.ts'

/** Whether the first report of this page is still to come; only that one is timed. */
let isFirst = true

/** Returns when the person asked for the reports: the page itself, or the screen within it. */
function readStart(): number {
  const [navigation] = performance.getEntriesByType('navigation')
  const isDirect = navigation && URL.parse(navigation.name)?.pathname === location.pathname
  return isDirect ? 0 : performance.now()
}

/**
 * Returns a function that tells the server, once per report and outcome while the screen is mounted,
 * that a report was shown or was not, and for a part of the pages how long their first one took.
 */
export function useOpeningRecorder(): (report: string, outcome: 'shown' | 'failed') => void {
  const recorded = useRef(new Set<string>())
  const start = useRef<number>(undefined)
  const wasHidden = useRef(false)
  useEffect(() => {
    start.current ??= isFirst ? readStart() : undefined
    const onHidden = () => {
      if (document.visibilityState === 'hidden') wasHidden.current = true
    }
    onHidden()
    document.addEventListener('visibilitychange', onHidden)
    return () => document.removeEventListener('visibilitychange', onHidden)
  }, [])
  return (report, outcome) => {
    if (recorded.current.has(`${report} ${outcome}`) || recorded.current.has(`${report} shown`)) return
    recorded.current.add(`${report} ${outcome}`)
    const ms = Math.round(performance.now() - (start.current ?? 0))
    // Browsers do not render hidden pages, so their times say nothing.
    const isTimed =
      isFirst &&
      outcome === 'shown' &&
      start.current !== undefined &&
      !wasHidden.current &&
      ms <= MAX_TIMING_MS
    isFirst = false
    const body = { report, outcome, ...(isTimed && Math.random() < TIMED_SHARE && { ms }) }
    // What is not counted harms nobody.
    callApi('POST /api/usage/timings', { body }).catch(() => {})
  }
}
