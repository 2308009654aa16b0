import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { adminMessages, type BulkEdit, userRoutes } from '#contract/users.ts'
import { type ApiError, callApi } from '#web/http/api.ts'
import { showToast } from '#web/ui/toast.tsx'
import { announceBulkEdit, asPreviewed, bulkEditOf, goneFrom } from './bulk-edit.ts'
import { isConflict } from './conflict.tsx'
import { type Entitlements, NO_ENTITLEMENTS } from './entitlements.tsx'
import { type Selection, selectionSize, withoutLeavers } from './selection.ts'
import { refreshAndKeepFocus, refreshProfiles } from './user-queries.ts'

/** What is chosen and ticked for many people, and how it is saved: in one call, all or nothing. */
export function useBulkEdit(chosen: Selection, onSaved: () => void) {
  const [action, setAction] = useState<BulkEdit['action']>('add')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  const { selection, gone, leaveOut } = usePeopleLeft(chosen)
  const edit = useMemo(() => bulkEditOf(selection, action, ticked), [selection, action, ticked])
  const lack = whatLacks(selection, ticked)

  const preview = useBulkPreview(lack ? undefined : edit, async (error, told) => {
    leaveOut(error, told)
    // The table then knows how many match now, and who has left.
    await refreshProfiles()
  })
  const { isSaving, refusal, save } = useSaving(onSaved, async (error, told) => {
    if (!leaveOut(error, told)) preview.recalculate()
  })
  const submit = () => {
    if (lack) return void showToast({ kind: 'error', title: lack })
    // Nothing is saved whose effect has not been told.
    if (preview.effect && !preview.isCalculating) void save(asPreviewed(edit, preview.effect))
  }
  const choice = { selection, action, setAction, ticked, setTicked }
  return { ...choice, lack, preview, gone, refusal, isSaving, submit }
}

function whatLacks(selection: Selection, ticked: Entitlements): string | undefined {
  if (selectionSize(selection) === 0) return adminMessages.deleteNothing
  return Object.values(ticked).some((items) => items.length > 0) ? undefined : adminMessages.bulkNothing
}

function useSaving(onSaved: () => void, onConflict: OnConflict) {
  const [refusal, setRefusal] = useState<string>()
  const isRunning = useRef(false)
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (body: BulkEdit) => callApi(userRoutes.bulkEdit, { body }),
  })
  const save = async (edit: BulkEdit) => {
    if (isRunning.current) return
    isRunning.current = true
    setRefusal(undefined)
    try {
      announceBulkEdit(edit.action, await mutateAsync(edit))
      onSaved()
    } catch (error) {
      const description = error instanceof Error ? error.message : ''
      showToast({ kind: 'error', title: adminMessages.bulkFailed, description })
      if (isConflict(error)) {
        setRefusal(description)
        void onConflict(error, edit)
      }
    } finally {
      isRunning.current = false
      void refreshAndKeepFocus()
    }
  }
  return { isSaving: isPending, refusal, save }
}

const SETTLE_MS = 250

/** Takes up what others have done meanwhile; the effect counts as unknown until it is through. */
export type OnConflict = (conflict: ApiError, edit: BulkEdit) => Promise<void>

export type BulkPreview = ReturnType<typeof useBulkPreview>

/**
 * What a bulk edit would do, told live by a dry run on the server.
 * @param edit undefined when there is nothing to do or nobody to do it for
 */
export function useBulkPreview(edit: BulkEdit | undefined, onConflict: OnConflict) {
  const key = edit ? JSON.stringify(edit) : ''
  const settledKey = useSettled(key, SETTLE_MS)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['bulk-edit-preview', settledKey],
    queryFn: ({ signal }) => calculate(JSON.parse(settledKey) as BulkEdit, onConflict, signal),
    enabled: key !== '' && key === settledKey,
    placeholderData: keepPreviousData,
    // What others do meanwhile counts too.
    staleTime: 0,
    gcTime: 0,
  })
  const isCalculating = key !== '' && (isFetching || key !== settledKey)
  return {
    /** The last one that was told; while another is calculated, that of the edit before. */
    effect: key === '' || error ? undefined : data,
    isCalculating,
    failure: key === '' || isCalculating ? undefined : (error ?? undefined),
    recalculate: () => void refetch(),
  }
}

async function calculate(body: BulkEdit, onConflict: OnConflict, signal: AbortSignal) {
  try {
    return await callApi(userRoutes.bulkEdit, { query: { dryRun: 'true' }, body, signal })
  } catch (error) {
    if (isConflict(error)) await onConflict(error, body)
    throw error
  }
}

/** Those of the selected people who still exist, as far as the server has told. */
export function usePeopleLeft(chosen: Selection) {
  const [goneIds, setGoneIds] = useState<ReadonlySet<string>>(new Set())
  const selection = useMemo(() => withoutLeavers(chosen, (id) => goneIds.has(id)), [chosen, goneIds])
  /** Leaves out whom a conflict names, and returns whether it names anybody. */
  const leaveOut = useCallback((conflict: ApiError, edit: BulkEdit) => {
    const ids = goneFrom(conflict, edit)
    if (ids.length > 0) setGoneIds((before) => new Set([...before, ...ids]))
    return ids.length > 0
  }, [])
  return { selection, gone: goneIds.size, leaveOut }
}

/** A value once it has stood still for a while, so that not every tick asks the server. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled
}
