import { type Entitlements, LISTS } from '#contract/entitlement-lists.ts'
import type { BulkEditResult } from '#contract/users.ts'
import { formatValidity } from './describe-change.ts'
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
 * Describes a change of one person: 'Ganha CRM e RJ. Perde VW. Fica válido até 31/12/2026.'
 * @param validUntil the new last day, '' for none; undefined where it stays
 */
export function describeEffect(effects: Effects, validUntil: string | undefined): string {
  const list = (isGain: boolean) => {
    const items = effects.filter(({ gaining }) => gaining > 0 === isGain).map(({ item }) => item)
    return new Intl.ListFormat('pt-BR').format(items)
  }
  const [gained, lost] = [list(true), list(false)]
  const sentences = [
    gained && `Ganha ${gained}.`,
    lost && `Perde ${lost}.`,
    validUntil !== undefined && `Fica ${formatValidity(validUntil || null)}.`,
  ].filter(Boolean)
  return sentences.join(' ') || 'Nada muda.'
}

/**
 * Describes a change of many people, each item with the people whom it concerns:
 * 'Ganham: CRM (3 pessoas). Perdem: VW (1 pessoa). 2 ficam como estão.'
 */
export function describeEffects(
  { effects, ending, unchanged, includesSelf }: BulkEditResult,
  validUntil: string | undefined,
): string {
  const list = (isGain: boolean) =>
    effects
      .map(({ item, gaining, losing }) => ({ item, people: isGain ? gaining : losing }))
      .filter(({ people }) => people > 0)
      .map(({ item, people }) => `${item} (${formatCount(people, 'pessoa', 'pessoas')})`)
      .join(', ')
  const [gained, lost] = [list(true), list(false)]
  return [
    gained && `Ganham: ${gained}.`,
    lost && `Perdem: ${lost}.`,
    ending > 0 && `${formatCount(ending, 'fica', 'ficam')} ${formatValidity(validUntil || null)}.`,
    unchanged > 0 && `${formatCount(unchanged, 'fica como está', 'ficam como estão')}.`,
    includesSelf && 'Inclui a sua própria conta.',
  ]
    .filter(Boolean)
    .join(' ')
}
