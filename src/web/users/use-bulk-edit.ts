import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { adminMessages, type BulkEdit } from '#contract/users.ts'
import { type ApiError, callApi } from '#web/http/api.ts'
import { isConflict } from '#web/http/send-request.ts'
import { showToast } from '#web/ui/toast.tsx'
import { failureNotice, useSubmit } from '#web/ui/use-form.ts'
import { announceBulkEdit, asPreviewed, bulkEditOf, goneFrom } from './bulk-edit.ts'
import { type Entitlements, NO_ENTITLEMENTS } from './entitlements.tsx'
import { type Selection, selectionSize, withoutLeavers } from './selection.ts'
import { refreshUsers } from './user-queries.ts'

const SETTLE_MS = 250

/** Takes up what others have done meanwhile; the effect counts as unknown until it is through. */
type OnConflict = (conflict: ApiError, edit: BulkEdit) => Promise<void>

export type BulkEditForm = ReturnType<typeof useBulkEdit>

/** What is chosen and ticked for many people, and how it is saved: in one call, all or nothing. */
export function useBulkEdit(chosen: Selection, onSaved: () => void) {
  const [action, setAction] = useState<BulkEdit['action']>('add')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  /** Those of the selected people who do not exist any more, as far as the server has told. */
  const [goneIds, setGoneIds] = useState<ReadonlySet<string>>(new Set())
  const [refusal, setRefusal] = useState<string>()
  const selection = useMemo(() => withoutLeavers(chosen, (id) => goneIds.has(id)), [chosen, goneIds])
  const edit = useMemo(() => bulkEditOf(selection, action, ticked), [selection, action, ticked])
  const lack = whatLacks(selection, ticked)

  /** Leaves out whom a conflict names, and returns whether it names anybody. */
  const leaveOut = (conflict: ApiError, told: BulkEdit) => {
    const ids = goneFrom(conflict, told)
    if (ids.length > 0) setGoneIds((before) => new Set([...before, ...ids]))
    return ids.length > 0
  }
  const preview = useBulkPreview(lack ? undefined : edit, async (conflict, told) => {
    leaveOut(conflict, told)
    // The table then knows how many match now, and who has left.
    await refreshUsers()
  })
  const { submit, isBusy } = useSubmit({
    send: (body: BulkEdit) => {
      setRefusal(undefined)
      return callApi('POST /api/profiles/bulk-edit', { body })
    },
    onDone: (result, body) => {
      announceBulkEdit(body.action, result)
      onSaved()
    },
    onFailed: (error, body) => {
      showToast(failureNotice(adminMessages.bulkFailed, error))
      if (!isConflict(error)) return
      setRefusal(error.message)
      if (!leaveOut(error, body)) preview.recalculate()
    },
    onSettled: refreshUsers,
  })
  return {
    selection,
    action,
    setAction,
    ticked,
    setTicked,
    /** What has to be there before there is an effect. */
    lack,
    preview,
    goneCount: goneIds.size,
    refusal,
    isSaving: isBusy,
    submit: () => {
      if (lack) return void showToast({ kind: 'error', title: lack })
      // Nothing is saved whose effect has not been told.
      if (preview.effect && !preview.isCalculating) void submit(asPreviewed(edit, preview.effect))
    },
  }
}

function whatLacks(selection: Selection, ticked: Entitlements): string | undefined {
  if (selectionSize(selection) === 0) return adminMessages.deleteNothing
  return Object.values(ticked).some((items) => items.length > 0) ? undefined : adminMessages.bulkNothing
}

/**
 * What a bulk edit would do, told live by a dry run on the server.
 * @param edit undefined when there is nothing to do or nobody to do it for
 */
function useBulkPreview(edit: BulkEdit | undefined, onConflict: OnConflict) {
  const settled = useSettled(edit)
  const isSettled = JSON.stringify(edit) === JSON.stringify(settled)
  const { data, error, isFetching, refetch } = useQuery({
    ...previewQuery(settled, onConflict),
    enabled: edit !== undefined && isSettled,
  })
  const isCalculating = edit !== undefined && (isFetching || !isSettled)
  return {
    /** The last one that was told; while another is calculated, that of the edit before. */
    effect: !edit || error ? undefined : data,
    isCalculating,
    failure: !edit || isCalculating ? undefined : (error ?? undefined),
    recalculate: () => void refetch(),
  }
}

function previewQuery(edit: BulkEdit | undefined, onConflict: OnConflict) {
  return queryOptions({
    queryKey: ['bulk-edit-preview', edit],
    queryFn: async ({ signal }) => {
      if (!edit) throw new Error('There is no edit to try')
      try {
        return await callApi('POST /api/profiles/bulk-edit', {
          query: { dryRun: 'true' },
          body: edit,
          signal,
        })
      } catch (error) {
        if (isConflict(error)) await onConflict(error, edit)
        throw error
      }
    },
    placeholderData: keepPreviousData,
    // What others do meanwhile counts too.
    staleTime: 0,
    gcTime: 0,
  })
}

/** An edit once it has stood still for a while, so that not every tick asks the server. */
function useSettled(edit: BulkEdit | undefined): BulkEdit | undefined {
  const [settled, setSettled] = useState(edit)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(edit), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [edit])
  return settled
}
