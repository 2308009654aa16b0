import { type Entitlements, LISTS } from '#contract/entitlement-lists.ts'
import { formatList } from '#contract/format-list.ts'
import type { BulkEditResult } from '#contract/users.ts'
import { formatDate } from '#web/ui/format-instant.ts'
import { formatCount } from './selection.ts'

type Effects = BulkEditResult['effects']

/** Compares what a person has with what they would have. */
export function diffEntitlements(before: Entitlements, after: Entitlements): Effects {
  return LISTS.flatMap((list) => [
    ...after[list].flatMap((item) =>
      before[list].includes(item) ? [] : [{ list, item, gaining: 1, losing: 0 }],
    ),
    ...before[list].flatMap((item) =>
      after[list].includes(item) ? [] : [{ list, item, gaining: 0, losing: 1 }],
    ),
  ])
}

/**
 * Describes a change of one person: 'Ganha CRM e RJ. Perde VW. Passa a valer até 31/12/2026.'
 * @param validUntil the new last day, '' for none; undefined where it stays
 */
export function describeEffect(effects: Effects, validUntil: string | undefined): string {
  const list = (isGain: boolean) => {
    const items = effects.filter(({ gaining }) => gaining > 0 === isGain).map(({ item }) => item)
    return formatList(items)
  }
  const [gained, lost] = [list(true), list(false)]
  const sentences = [
    gained && `Ganha ${gained}.`,
    lost && `Perde ${lost}.`,
    validUntil !== undefined && `Passa ${describeEnd(validUntil)}.`,
  ].filter(Boolean)
  return sentences.join(' ') || 'Nada muda.'
}

/**
 * Describes a change of many people: 'CRM passa a aparecer para 3 pessoas. 2 ficam como estão.', or
 * once done 'CRM liberado para 3 pessoas.'
 * @param validUntil the new last day, null or '' for none
 */
export function describeEffects(
  { effects, ending, losing, unchanged }: Pick<BulkEditResult, 'effects' | 'ending' | 'losing' | 'unchanged'>,
  validUntil: string | null | undefined,
  isDone = false,
): string {
  const say = (change: 'gaining' | 'losing', [one, several]: readonly [string, string]) => {
    const counts = [...new Set(effects.map((effect) => effect[change]))].filter((count) => count > 0)
    return counts.map((count) => {
      const items = effects.filter((effect) => effect[change] === count).map(({ item }) => item)
      const named = formatList(items)
      return `${named} ${items.length === 1 ? one : several} ${formatPeople(count)}.`
    })
  }
  const lost = say(
    'losing',
    isDone ? ['retirado de', 'retirados de'] : ['deixa de aparecer para', 'deixam de aparecer para'],
  )
  const end = describeEnd(validUntil)
  // Items that are lost count as losing too.
  const sooner =
    lost.length === 0 && losing > 0 ? `, mais cedo do que antes para ${formatPeople(losing)}` : ''
  return [
    ...say(
      'gaining',
      isDone ? ['liberado para', 'liberados para'] : ['passa a aparecer para', 'passam a aparecer para'],
    ),
    ...lost,
    ending > 0 && `O acesso de ${formatPeople(ending)} passa ${end}${sooner}.`,
    unchanged > 0 &&
      (isDone
        ? formatCount(unchanged, 'já estava assim.', 'já estavam assim.')
        : formatCount(unchanged, 'fica como está.', 'ficam como estão.')),
  ]
    .filter(Boolean)
    .join(' ')
}

const formatPeople = (count: number) => formatCount(count, 'pessoa', 'pessoas')

const describeEnd = (validUntil: string | null | undefined) =>
  validUntil ? `a valer até ${formatDate(validUntil)}` : 'a não ter prazo'
