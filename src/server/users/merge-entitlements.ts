import { type Entitlements, inOrder, LISTS, type ListName } from '#contract/catalogue.ts'
import type { BulkEdit } from '#contract/users.ts'

/** The lists that an edit names, with what it adds or removes; empty ones are left out. */
export function namedLists(edit: Pick<BulkEdit, ListName>): Partial<Entitlements> {
  return Object.fromEntries(
    LISTS.flatMap((name) => {
      const items = edit[name] ?? []
      return items.length > 0 ? [[name, [...new Set(items)]]] : []
    }),
  )
}

/**
 * Set union or difference of each named list, in the contract's order; what the contract does not know stays,
 * last (SPEC section 7).
 * @returns the named lists as they become, or undefined when nobody could tell the difference
 */
export function mergeEntitlements(
  current: Partial<Entitlements>,
  action: 'add' | 'remove',
  items: Partial<Entitlements>,
): Partial<Entitlements> | undefined {
  const merged: Partial<Entitlements> = {}
  let isChanged = false
  for (const name of LISTS) {
    const named = items[name]
    if (!named) continue
    const held = inOrder(name, current[name] ?? [])
    const result =
      action === 'add' ? inOrder(name, [...held, ...named]) : held.filter((item) => !named.includes(item))
    const isSame = result.length === held.length
    merged[name] = isSame ? (current[name] ?? []) : result
    isChanged ||= !isSame
  }
  return isChanged ? merged : undefined
}
