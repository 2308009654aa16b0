import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
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

/** Ids of the exports that were started in this browser tab and have not ended, also after a reload. */
const followedQuery = (userId: string) =>
  queryOptions({
    queryKey: ['followed-exports', userId],
    initialData: () => tabStorage.get(toStorageKey(userId))?.split(' ') ?? [],
    enabled: false,
  })

const toStorageKey = (userId: string) => `patio.exports.${userId}`

function follow(userId: string, ids: string[]): void {
  if (ids.length > 0) tabStorage.set(toStorageKey(userId), ids.join(' '))
  else tabStorage.remove(toStorageKey(userId))
  queryClient.setQueryData(followedQuery(userId).queryKey, ids)
}

/** Follows an export that has just been started. */
export function followExport(userId: string, item: ReportExport): void {
  queryClient.setQueryData(reportExportsQuery(userId).queryKey, (items = []) => [item, ...items])
  follow(userId, [...(queryClient.getQueryData(followedQuery(userId).queryKey) ?? []), item.id])
}

/** Tells on every screen when a followed export ends. In other tabs the dialog lists them. */
export function ExportNotices({ userId }: { userId: string }) {
  const { data: ids } = useQuery(followedQuery(userId))
  const { data } = useQuery({
    ...reportExportsQuery(userId),
    enabled: ids.length > 0,
    refetchInterval: POLL_MS,
    refetchIntervalInBackground: true,
  })
  const tellEnded = useEffectEvent((items: readonly ReportExport[]) => {
    const followed = items.filter(({ id }) => ids.includes(id))
    const pending = followed.filter(({ status }) => !isEnded(status))
    if (pending.length === ids.length) return
    for (const item of followed) if (isEnded(item.status)) void showOutcome(item)
    follow(
      userId,
      pending.map(({ id }) => id),
    )
  })
  useEffect(() => {
    if (data) tellEnded(data)
  }, [data])
  return null
}

/** Returns the followed export that is furthest. */
export function useRunningExport(userId: string): ReportExport | undefined {
  const { data: ids } = useQuery(followedQuery(userId))
  const { data } = useQuery({ ...reportExportsQuery(userId), enabled: false })
  return data
    ?.filter(({ id, status }) => ids.includes(id) && !isEnded(status))
    .toSorted((a, b) => b.percent - a.percent)[0]
}

const isEnded = (status: ReportExport['status']) => status === 'done' || status === 'failed'
