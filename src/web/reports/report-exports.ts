import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { ReportExport } from '#contract/report-exports.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { tabStorage } from '#web/session/browser-storage.ts'

const POLL_MS = 2_000

/** The person's exports of the last hour, newest first. */
export const reportExportsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['report-exports', userId],
    queryFn: async ({ signal }) => (await callApi('GET /api/report-exports', { signal })).items,
  })

/** Loaded when needed: few people export. */
const showOutcome = (item: ReportExport) =>
  import('./export-files.ts').then(
    (module) => module.showOutcome(item),
    () => {},
  )

/**
 * Follows the exports that were started in this browser tab, also after a reload, and tells when one
 * ends. In other tabs the dialog lists them.
 */
export function useReportExports(userId: string) {
  const key = `patio.exports.${userId}`
  const [ids, setIds] = useState(() => tabStorage.get(key)?.split(' ') ?? [])
  const { data } = useQuery({
    ...reportExportsQuery(userId),
    enabled: ids.length > 0,
    refetchInterval: POLL_MS,
    refetchIntervalInBackground: true,
  })
  const follow = (next: string[]) => {
    if (next.length > 0) tabStorage.set(key, next.join(' '))
    else tabStorage.remove(key)
    setIds(next)
  }
  const tellEnded = useEffectEvent((items: readonly ReportExport[]) => {
    const pending = items.filter(({ id, status }) => ids.includes(id) && !isEnded(status))
    const ended = items.filter(({ id, status }) => ids.includes(id) && isEnded(status))
    if (pending.length === ids.length) return
    for (const item of ended) void showOutcome(item)
    follow(pending.map(({ id }) => id))
  })
  useEffect(() => {
    if (data) tellEnded(data)
  }, [data])
  return {
    /** The export under way that is furthest. */
    running: data
      ?.filter(({ id, status }) => ids.includes(id) && !isEnded(status))
      .toSorted((a, b) => b.percent - a.percent)[0],
    /** Follows an export that has just been started. */
    add(item: ReportExport): void {
      queryClient.setQueryData(reportExportsQuery(userId).queryKey, (items = []) => [item, ...items])
      follow([...ids, item.id])
    },
  }
}

const isEnded = (status: ReportExport['status']) => status === 'done' || status === 'failed'
