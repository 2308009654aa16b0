import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { loadChunk } from '#web/http/load-chunk.ts'
import { FailedLoad } from './alert.tsx'
import { useIsOnline } from './use-device.ts'

interface LazyPartProps<Module> {
  name: string
  load: () => Promise<Module>
  /** The placeholder until then, as large as the part. */
  loading: ReactNode
  /** What says, in its place, that there is no network; it loads by itself with one. */
  offline?: ReactNode
  failed: string
  className?: string
  children: (module: Module) => ReactNode
}

/** Loads a part of a screen on demand, by a query, so that a failed load can be retried. */
export function LazyPart<Module>({
  name,
  load,
  loading,
  offline,
  failed,
  className,
  children,
}: LazyPartProps<Module>) {
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: ['part', name],
    queryFn: () => loadChunk(load),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isOnline = useIsOnline()
  if (data) return children(data)
  if (offline && !isOnline) return offline
  if (!isError) return loading
  return (
    <FailedLoad onRetry={() => void refetch()} isRetrying={isFetching} {...(className && { className })}>
      {failed}
    </FailedLoad>
  )
}
