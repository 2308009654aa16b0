import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { isConflict, isDefiniteRefusal } from '#web/http/send-request.ts'
import { isOutcomeUnknown } from '#web/session/retry-call.ts'
import { Button } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { showToast } from '#web/ui/toast.tsx'
import { useDebouncedValue } from '#web/ui/use-debounced-value.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { refreshUsers } from './user-queries.ts'

interface DryRunOptions<Body, Effect, Reply> {
  /** The requested change; undefined while input is missing. */
  body: Body | undefined
  dryRun: (body: Body, signal: AbortSignal) => Promise<Effect>
  send: (body: Body, effect: Effect) => Promise<Reply>
  onDone: (reply: Reply, body: Body) => void
  /** The title of the toast on failure. */
  failed: string
  /** Refetches the data the change is based on; true to repeat the dry run with the same body. */
  onRefused: (refusal: Error, body: Body) => Promise<unknown>
}

/** Previews a change of many people by a dry run, and saves only what has been previewed. */
export function useDryRun<Body, Effect, Reply>(options: DryRunOptions<Body, Effect, Reply>) {
  const { body, dryRun, send, onDone, failed, onRefused } = options
  const [refusal, setRefusal] = useState<string>()
  /** The body of a request whose outcome is unknown, as JSON. */
  const [unknownBody, setUnknownBody] = useState<string>()
  const debounced = useDebouncedValue(body)
  const isDebounced = JSON.stringify(debounced) === JSON.stringify(body)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['dry-run', failed, debounced],
    queryFn: async ({ signal }) => {
      const wanted = debounced as Body
      try {
        return await dryRun(wanted, signal)
      } catch (conflict) {
        if (isConflict(conflict)) await onRefused(conflict, wanted)
        throw conflict
      }
    },
    enabled: body !== undefined && isDebounced,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const isCalculating = body !== undefined && (isFetching || !isDebounced)
  const effect = body === undefined || error ? undefined : data

  const { submit, isBusy } = useSubmit({
    send: (wanted: { body: Body; effect: Effect }) => {
      setRefusal(undefined)
      return send(wanted.body, wanted.effect)
    },
    onDone: (reply, { body }) => onDone(reply, body),
    onFailed: async (failure, { body }) => {
      showToast(toFailureToast(failed, failure))
      const sentBody = JSON.stringify(body)
      setUnknownBody((last) => (isOutcomeUnknown(failure) ? sentBody : last === sentBody ? undefined : last))
      if (!isDefiniteRefusal(failure)) return
      setRefusal(failure.message)
      if ((await onRefused(failure, body)) === true) void refetch()
    },
    onSettled: refreshUsers,
  })
  return {
    /** The last preview; while another is calculated, the previous one. */
    effect,
    isCalculating,
    failure: body === undefined || isCalculating ? undefined : (error ?? undefined),
    recalculate: () => void refetch(),
    /** Why the last save was refused. */
    refusal,
    isSaving: isBusy,
    isOutcomeUnknown: unknownBody !== undefined,
    submit: () => {
      if (body !== undefined && effect !== undefined && !isCalculating) void submit({ body, effect })
    },
  }
}

interface EffectLineProps {
  isMuted?: boolean
  failure: Error | undefined
  recalculate: () => void
  children: ReactNode
}

/** The previewed effect of a change, or a retry button where the dry run failed. */
export function EffectLine({ isMuted, failure, recalculate, children }: EffectLineProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg bg-subtle px-3 py-2.5 text-sm">
      <p role="status" className={classNames('min-h-5 tabular-nums', isMuted && 'text-muted')}>
        {children}
      </p>
      {failure && (
        <Button variant="secondary" onClick={recalculate}>
          Calcular novamente
        </Button>
      )}
    </div>
  )
}
