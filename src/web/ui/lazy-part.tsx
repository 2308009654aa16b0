import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { loadChunk } from '#web/http/load-chunk.ts'
import { FailedLoad } from './alert.tsx'

interface LazyPartProps<Module> {
  name: string
  load: () => Promise<Module>
  /** The placeholder until then, as large as the part. */
  loading: ReactNode
  failed: string
  className?: string
  children: (module: Module) => ReactNode
}

/** Loads a part of a screen on demand, by a query, so that a failed load can be retried. */
export function LazyPart<Module>({
  name,
  load,
  loading,
  failed,
  className,
  children,
}: LazyPartProps<Module>) {
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: ['part', name],
    queryFn: () => loadChunk(load),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data) return children(data)
  if (!isError) return loading
  return (
    <FailedLoad onRetry={() => void refetch()} isRetrying={isFetching} {...(className && { className })}>
      {failed}
    </FailedLoad>
  )
}
