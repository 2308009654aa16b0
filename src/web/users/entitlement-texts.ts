import type { ManagedProfile, ProfileChange } from '#contract/users.ts'
import { adminMessages } from '#contract/users.ts'
import type { ListName } from './describe-lists.ts'
import { type Entitlements, stepsToApprove } from './profile-steps.ts'

export type EntitlementsKind = 'types' | 'scope' | 'approve'

interface EntitlementsTexts {
  title: string
  /** The lists that the dialog shows. */
  lists: readonly ListName[]
  submit: string
  loadFailed: string
  /** What is said of these steps when they have been saved. */
  saved: (steps: readonly ProfileChange[]) => readonly string[]
  failed: string
  /** What to save; types and scope are sent even when nothing differs, so that a newer state is noticed. */
  stepsFor: (base: ManagedProfile, wanted: Entitlements) => ProfileChange[]
}

/** Steps without the approval itself, which somebody else has given meanwhile, are named for what they are. */
function savedToApprove(steps: readonly ProfileChange[]): string[] {
  if (steps.some((step) => 'approved' in step)) return [adminMessages.approved]
  return steps.map((step) => ('types' in step ? adminMessages.typesSaved : adminMessages.scopeSaved))
}

/** The three dialogs that tick one person's entitlements (SPEC sections 2 and 8). */
export const ENTITLEMENTS_DIALOGS: Record<EntitlementsKind, EntitlementsTexts> = {
  types: {
    title: 'Gerenciar Tipos de Acesso',
    lists: ['types'],
    submit: 'Salvar',
    loadFailed: adminMessages.typesLoadFailed,
    saved: () => [adminMessages.typesSaved],
    failed: adminMessages.typesFailed,
    stepsFor: (_, { types }) => [{ types }],
  },
  scope: {
    title: 'Gerenciar Marcas e Estados',
    lists: ['marcas', 'estados'],
    submit: 'Salvar',
    loadFailed: adminMessages.scopeLoadFailed,
    saved: () => [adminMessages.scopeSaved],
    failed: adminMessages.scopeFailed,
    stepsFor: (_, { marcas, estados }) => [{ marcas, estados }],
  },
  approve: {
    title: 'Aprovar Usuário',
    lists: ['types', 'marcas', 'estados'],
    submit: 'Aprovar',
    loadFailed: adminMessages.approveFailed,
    saved: savedToApprove,
    failed: adminMessages.approveFailed,
    stepsFor: stepsToApprove,
  },
}
