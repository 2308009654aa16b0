import { useCallback, useMemo, useRef, useState } from 'react'
import { type ManagedProfile, MOST_IDS, type ProfileFilter } from '#contract/profiles.ts'
import { showToast } from '#web/ui/toast.tsx'
import { nobodySelected, type Selection, withPeople } from './selection.ts'

/**
 * Who is selected. A selection outlives scrolling, sorting and edits, and ends when the filter changes: it
 * would be about people whom the table does not show any more.
 * @param total how many match the filter, undefined while unknown
 */
export function useSelection(
  filter: ProfileFilter,
  profiles: readonly ManagedProfile[],
  total: number | undefined,
) {
  const filterKey = JSON.stringify(filter)
  const [kept, setKept] = useState({ filterKey, selection: nobodySelected })
  if (kept.filterKey !== filterKey) setKept({ filterKey, selection: nobodySelected })
  const selection = useMemo(() => withCount(kept.selection, total), [kept.selection, total])
  const latest = useRef({ selection, profiles })
  latest.current = { selection, profiles }
  const anchorId = useRef<string>(undefined)

  const set = useCallback((next: Selection) => setKept((last) => ({ ...last, selection: next })), [])
  const clear = useCallback(() => set(nobodySelected), [set])
  const toggleAll = (isOn: boolean) =>
    set(isOn ? { kind: 'allMatching', filter, except: [], count: total ?? 0 } : nobodySelected)
  const toggle = useCallback(
    (profile: ManagedProfile, isOn: boolean, isRange: boolean) => {
      const { selection: current, profiles: shown } = latest.current
      const people = isRange ? between(shown, anchorId.current, profile) : [profile]
      anchorId.current = profile.user_id
      const next = withPeople(current, people, isOn)
      if (next) set(next)
      else showToast({ kind: 'warning', title: TOO_MANY, description: TOO_MANY_ADVICE })
    },
    [set],
  )
  return { selection, toggle, toggleAll, clear }
}

const TOO_MANY = `No máximo ${MOST_IDS.toLocaleString('pt-BR')} usuários podem ser marcados um a um`
const TOO_MANY_ADVICE = 'Para mais usuários, restrinja a lista com os filtros e marque todos de uma vez.'

/** Everybody who matches are as many as the list says now. */
function withCount(selection: Selection, total: number | undefined): Selection {
  if (selection.kind === 'some' || total === undefined || total === selection.count) return selection
  return { ...selection, count: total }
}

/** The people from the one pressed last to this one, both included; this one alone where the other is gone. */
function between(
  shown: readonly ManagedProfile[],
  anchorId: string | undefined,
  profile: ManagedProfile,
): readonly ManagedProfile[] {
  const anchor = shown.findIndex(({ user_id }) => user_id === anchorId)
  const target = shown.findIndex(({ user_id }) => user_id === profile.user_id)
  if (anchor === -1 || target === -1) return [profile]
  return shown.slice(Math.min(anchor, target), Math.max(anchor, target) + 1)
}
