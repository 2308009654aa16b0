import { queryOptions, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Catalogue, CatalogueItem, catalogueRoutes } from '#contract/catalogue.ts'
import type { ListName } from '#contract/entitlement-lists.ts'
import type { BodyOf } from '#contract/route.ts'
import type { Undoable } from '#contract/undo.ts'
import { UNDO_SECONDS } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { isConflict } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { closeToast, showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { showUndoToast, toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { formatCount } from './selection.ts'

const FAILED = 'Não foi possível salvar'

export interface Usage {
  people: number
  reports: number
  holdersOfOthers: number
}

const usageQuery = queryOptions({
  queryKey: ['catalogue-use'],
  queryFn: ({ signal }) => callApi('GET /api/catalogue/use', { signal }),
})

/** Returns how often an item is used; undefined while loading. */
export function useItemUsage(list: ListName, item: CatalogueItem): Usage | undefined {
  return useQuery(usageQuery).data?.items.find(({ kind, code }) => kind === list && code === item.code)
}

/** Returns how many people hold every item of a list; 0 while loading. */
export const useHoldersOfAll = (list: ListName): number => useQuery(usageQuery).data?.holdersOfAll[list] ?? 0

/** Returns the version of the cached catalogue, for If-Match. */
export const getVersion = () => String(queryClient.getQueryData(catalogueQuery.queryKey)?.version ?? 0)

/** Caches a new catalogue, cancels fetches that would overwrite it, refetches what shows labels. */
async function cacheCatalogue(catalogue: Catalogue): Promise<void> {
  await queryClient.cancelQueries(catalogueQuery)
  queryClient.setQueryData(catalogueQuery.queryKey, catalogue)
  for (const key of ['catalogue-use', 'profiles', 'report-settings', 'own-reports'])
    void queryClient.invalidateQueries({ queryKey: [key] })
}

let lastWrite: Promise<unknown> = Promise.resolve()

/** Serializes writes of the catalogue, so that users never conflict with their own previous change. */
export function writeCatalogue<Reply extends Catalogue>(send: () => Promise<Reply>): Promise<Reply> {
  const write = lastWrite.then(async () => {
    const catalogue = await send()
    await cacheCatalogue(catalogue)
    return catalogue
  })
  lastWrite = write.catch(() => {})
  return write
}

/** Shows a toast unless a field shows the error; after a conflict the catalogue is refetched. */
export async function showFailure(error: unknown): Promise<void> {
  if (toFieldErrors(error).length === 0) showToast(toFailureToast(FAILED, error))
  if (isConflict(error)) await queryClient.refetchQueries(catalogueQuery)
}

export type NewItem = BodyOf<typeof catalogueRoutes.addCatalogueItem>

/** Adds an item; validation errors are returned per field. */
export function useAddItem(list: ListName, onAdded: () => void) {
  const [errors, setErrors] = useState<Record<string, string>>({})
  const { submit, isBusy } = useSubmit({
    send: ({ body }: { body: NewItem; form: HTMLFormElement }) =>
      writeCatalogue(() => retryCall('POST /api/catalogue/{kind}', { params: { kind: list }, body })),
    onDone(reply, { body }) {
      const given = reply.given > 0 ? `Já vale para ${formatCount(reply.given, 'pessoa', 'pessoas')}.` : ''
      announceUndoable({ kind: 'success', title: `“${body.label}” foi incluído`, description: given }, reply)
      onAdded()
    },
    onFailed(error, { form }) {
      const fields = toFieldErrors(error)
      setErrors(Object.fromEntries(fields.map(({ path, message }) => [path, message])))
      const input = fields[0] && form.elements.namedItem(fields[0].path)
      if (input instanceof HTMLElement) input.focus()
      return showFailure(error)
    },
  })
  return { isBusy, errors, clearErrors: () => setErrors({}), add: submit }
}

/** Archives or restores an item, with an undo button in the toast. */
export function useArchiveItem(list: ListName) {
  const set = ({ code }: CatalogueItem, archived: boolean) => {
    const params = { kind: list, code }
    return writeCatalogue(() =>
      retryCall('PATCH /api/catalogue/{kind}/{code}', { params, ifMatch: getVersion(), body: { archived } }),
    )
  }
  const { submit, isBusy } = useSubmit({
    send: ({ item, isArchived }: { item: CatalogueItem; isArchived: boolean; use: Usage | undefined }) =>
      set(item, isArchived),
    onDone(changed, { item, isArchived, use }) {
      const title = `“${item.label}” ${isArchived ? 'foi para o' : 'saiu do'} arquivo`
      const description = `${use?.people ? 'Continua valendo para quem já tem' : 'Ninguém tem'}; não dá mais para liberar a ninguém.`
      announceUndoable({ kind: 'success', title, ...(isArchived && { description }) }, changed)
    },
    onFailed: showFailure,
  })
  return { isBusy, archive: submit }
}

/**
 * Renames an item. @param ifMatch the version that was seen
 * @throws ApiError, NetworkError
 */
export function renameItem(
  list: ListName,
  code: string,
  label: string,
  ifMatch: string,
): Promise<Catalogue & Undoable> {
  const params = { kind: list, code }
  return writeCatalogue(() =>
    retryCall('PATCH /api/catalogue/{kind}/{code}', { params, ifMatch, body: { label } }),
  )
}

/** Removes an item that nobody ever held. */
export function useRemoveItem(list: ListName, onRemoved: () => void) {
  return useSubmit({
    send: ({ code }: CatalogueItem) =>
      writeCatalogue(() =>
        retryCall('DELETE /api/catalogue/{kind}/{code}', {
          params: { kind: list, code },
          ifMatch: getVersion(),
        }),
      ),
    onDone(_, { label }) {
      showToast({ kind: 'success', title: `“${label}” foi excluído` })
      onRemoved()
    },
    onFailed(error) {
      onRemoved()
      return showFailure(error)
    },
  })
}

/** Reorders the active items: an optimistic update, saved in the background. */
export function useItemOrder(list: ListName, catalogue: Catalogue | undefined) {
  const [codes, setCodes] = useState<readonly string[]>()
  const [announcement, setAnnouncement] = useState('')
  const wanted = useRef<readonly string[]>(undefined)
  const undoable = useRef<{ before: readonly string[]; toast: number; until: number }>(undefined)
  const isSaving = useRef(false)
  const items = catalogue?.[list] ?? []
  const active = items.filter((item) => !item.archived)
  const getIndex = ({ code }: CatalogueItem) => (codes?.includes(code) ? codes.indexOf(code) : items.length)
  const order = codes ? active.toSorted((a, b) => getIndex(a) - getIndex(b)) : active

  const write = (wanted: readonly string[]) =>
    writeCatalogue(() =>
      retryCall('PUT /api/catalogue', { ifMatch: getVersion(), body: { [list]: [...wanted] } }),
    )
  /** One toast for the moves of half a minute, which undoes all of them. */
  function announceOrder(before: readonly string[]): void {
    const { current: last } = undoable
    if (last) closeToast(last.toast)
    const first = last && last.until > Date.now() ? last.before : before
    const restore = async () => {
      undoable.current = undefined
      await write(first)
    }
    const toast = showUndoToast({ kind: 'success', title: 'A ordem mudou para todos' }, restore)
    undoable.current = { before: first, toast, until: Date.now() + UNDO_SECONDS * 1_000 }
  }

  async function save(): Promise<void> {
    if (isSaving.current) return
    isSaving.current = true
    const before = items.map(({ code }) => code)
    try {
      while (wanted.current) {
        const next = wanted.current
        wanted.current = undefined
        await write(next)
      }
      announceOrder(before)
    } catch (error) {
      wanted.current = undefined
      await showFailure(error)
    } finally {
      isSaving.current = false
      // An item may have been moved while the failure was shown.
      if (wanted.current) void save()
      else setCodes(undefined)
    }
  }
  return {
    order,
    announcement,
    move(index: number, by: -1 | 1): void {
      const next = [...order]
      const [item] = next.splice(index, 1)
      if (!item) return
      next.splice(index + by, 0, item)
      const archived = items.filter((each) => each.archived)
      wanted.current = [...next, ...archived].map(({ code }) => code)
      setCodes(wanted.current)
      setAnnouncement(`${item.label}: posição ${index + by + 1} de ${next.length}`)
      void save()
    },
  }
}
