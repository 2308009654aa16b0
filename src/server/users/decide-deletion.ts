/** What can keep somebody from being deleted, in the words that the administrator reads. */
export const DELETION_REFUSALS = {
  self: 'Você não pode excluir a própria conta.',
  lastAdministrator: 'Não é possível excluir o último administrador.',
  unknown: 'Usuário não encontrado.',
} as const

export interface DeletionFacts {
  actorId: string
  /** Those of the wanted people who exist. */
  known: ReadonlySet<string>
  /** All administrators there are. */
  administrators: readonly string[]
}

/** Decides for each wanted person, in the order given, who may go; one administrator always stays. */
export function decideDeletion(wanted: readonly string[], { actorId, known, administrators }: DeletionFacts) {
  const staying = new Set(administrators)
  const allowed: string[] = []
  const errors: { userId: string; error: string }[] = []
  for (const userId of wanted) {
    const isLast = staying.has(userId) && staying.size === 1
    const refusal =
      userId === actorId ? 'self' : !known.has(userId) ? 'unknown' : isLast ? 'lastAdministrator' : undefined
    if (refusal) {
      errors.push({ userId, error: DELETION_REFUSALS[refusal] })
      continue
    }
    staying.delete(userId)
    allowed.push(userId)
  }
  return { allowed, errors }
}
