// Texts of 'Quem vê o quê', which few screens load.
import type { Hindrance, Reader } from './audit.ts'
import { describeTemplates } from './describe-change.ts'

const GRANTS: Record<string, string> = {
  'approval-given': 'Aprovação',
  'invitation-accepted': 'Convite',
  'access-granted': 'Pedido de acesso',
  'bulk-edit-undone': 'Alteração desfeita',
  'entitlements-added': 'Alteração em massa',
}

/** Names what gave an access, by its entry: 'Convite, igual ao modelo “Gerente”'. */
export function describeGrant({ through, templates }: Pick<Reader, 'through' | 'templates'>): string {
  if (through === null) return 'Sem registro'
  return [GRANTS[through] ?? 'Lista da pessoa', describeTemplates(templates)].filter(Boolean).join(', ')
}

/** Says why somebody sees nothing, or saw nothing on a past day, in spite of their areas. */
export function describeHindrance(hindrance: Hindrance, isPast: boolean): string {
  const [was, could, showed] = isPast
    ? ['não estava', 'podia', 'não mostravam']
    : ['não está', 'pode', 'não mostram']
  const texts: Record<Hindrance, string> = {
    'no-account': 'Neste dia a conta ainda não existia.',
    'not-approved': `A conta ${was} aprovada: nada do que segue ${could} ser aberto.`,
    ended: `O acesso já ${isPast ? 'tinha terminado' : 'terminou'}: nada do que segue ${could} ser aberto.`,
    'no-scope': `Sem marca ou sem estado: os relatórios do que segue ${showed} dados.`,
    'no-types': isPast ? 'Nenhuma área estava liberada.' : 'Nenhuma área está liberada.',
  }
  return texts[hindrance]
}

/** Says of how many deleted people nobody knows what they saw on a past day. */
export const formatUnknown = (count: number): string =>
  count === 1
    ? 'De 1 conta excluída depois deste dia não há registro do que ela podia ver'
    : `De ${count} contas excluídas depois deste dia não há registro do que elas podiam ver`

/** Names a deleted person: the first digits are enough to tell two apart. */
export const formatPseudonym = (id: string) => `conta excluída ${id.slice(0, 8)}`

/** Names who gave an access: by the address, or as a deleted account. */
export const nameGiver = (by: string) => (parsePseudonym(by) ? formatPseudonym(by) : by)

/** Returns a pseudonym as it is written or copied, in part: 'conta excluída 45a97728'. */
export const parsePseudonym = (text: string): string | undefined =>
  /^(?:conta exclu[ií]da\s+)?([0-9a-f]{8}((-[0-9a-f]{4}){3}-[0-9a-f]{12})?)$/i
    .exec(text.trim())?.[1]
    ?.toLowerCase()
