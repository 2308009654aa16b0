import { EMULATED_RLS_ROLE } from '#emulators/power-bi/catalogue.ts'

/** What GET dataset says of a dataset's row-level security. */
export interface DatasetSecurity {
  id: string
  isEffectiveIdentityRequired: boolean
  isEffectiveIdentityRolesRequired: boolean
}

/** An effective identity of a GenerateToken request, not yet looked at. */
export type Identity = Record<string, unknown>

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

function flawOfIdentity(identity: Identity): string | undefined {
  const { username, roles = [], datasets, customData } = identity
  if (typeof username !== 'string' || username === '') return 'Effective identity: username is required'
  if (!/^[\x21-\x7e]{1,256}$/.test(username)) {
    return 'Effective identity: username must be at most 256 ASCII characters without spaces'
  }
  if (!isTextList(datasets) || datasets.length === 0) return 'Effective identity: datasets are required'
  if (!isTextList(roles) || roles.length > 50 || roles.some((role) => role.length > 50)) {
    return 'Effective identity: roles must be at most 50 of at most 50 characters'
  }
  if (customData !== undefined && typeof customData !== 'string') {
    return 'Effective identity: customData must be a string'
  }
  const unknown = roles.find((role) => role !== EMULATED_RLS_ROLE)
  return unknown === undefined
    ? undefined
    : `Effective identity: role '${unknown}' does not exist in the dataset`
}

function flawForDataset(dataset: DatasetSecurity, identities: readonly Identity[]): string | undefined {
  const own = identities.filter(({ datasets }) =>
    (datasets as string[]).some((id) => id.toLowerCase() === dataset.id),
  )
  const intro = `Creating embed token for accessing dataset ${dataset.id}`
  if (!dataset.isEffectiveIdentityRequired) {
    return own.length > 0 ? `${intro} shouldn't have effective identity` : undefined
  }
  if (own.length === 0) return `${intro} requires effective identity to be provided`
  if (own.length > 1) return `${intro} requires one effective identity, ${own.length} were provided`
  const hasRoles = isTextList(own[0]?.roles) && own[0].roles.length > 0
  if (dataset.isEffectiveIdentityRolesRequired && !hasRoles) {
    return `${intro} requires roles to be included in provided effective identity`
  }
  return undefined
}

/**
 * Why GenerateToken refuses these identities for these datasets, or undefined when it takes them: row-level
 * security and identity go together, names and roles have limits (Power BI REST, EffectiveIdentity).
 */
export function flawOfIdentities(datasets: readonly DatasetSecurity[], identities: readonly Identity[]) {
  for (const identity of identities) {
    const flaw = flawOfIdentity(identity)
    if (flaw) return flaw
    const stranger = (identity.datasets as string[]).find(
      (id) => !datasets.some((dataset) => dataset.id === id.toLowerCase()),
    )
    if (stranger) return `Effective identity names dataset ${stranger}, which the token is not for`
  }
  for (const dataset of datasets) {
    const flaw = flawForDataset(dataset, identities)
    if (flaw) return flaw
  }
  return undefined
}
