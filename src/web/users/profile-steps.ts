import {
  type AccessType,
  ESTADOS,
  type Estado,
  MARCAS,
  type Marca,
  orderTypes,
  TYPES,
} from '#contract/catalogue.ts'
import type { ManagedProfile, ProfileChange } from '#contract/users.ts'

/** What is ticked for one person or for many. */
export interface Entitlements {
  types: AccessType[]
  marcas: Marca[]
  estados: Estado[]
}
export const NO_ENTITLEMENTS: Entitlements = { types: [], marcas: [], estados: [] }

/** What a person has, as far as it can be ticked; what an older portal has left behind cannot. */
export function entitlementsOf(profile: ManagedProfile): Entitlements {
  const types = orderTypes(profile.types)
  return {
    types: TYPES.filter((type) => types.includes(type)),
    marcas: MARCAS.filter((marca) => profile.marcas.includes(marca)),
    estados: ESTADOS.filter((estado) => profile.estados.includes(estado)),
  }
}

/** The changes that turn what a person has into what is wanted, only where they differ, and the approval last. */
export function stepsToApprove(profile: ManagedProfile, wanted: Entitlements): ProfileChange[] {
  const has = entitlementsOf(profile)
  const { types, marcas, estados } = wanted
  const steps: ProfileChange[] = []
  if (!isSame(has.types, types)) steps.push({ types })
  if (!isSame(has.marcas, marcas) || !isSame(has.estados, estados)) steps.push({ marcas, estados })
  if (!profile.approved) steps.push({ approved: true })
  return steps
}

/** What a change is about, as a sentence names it. */
export function namesOfStep(step: ProfileChange): string[] {
  if ('types' in step) return ['tipos']
  return 'marcas' in step ? ['marcas', 'estados'] : ['aprovação']
}

/** A person with changes applied, ahead of the server's reply. */
export function withSteps(profile: ManagedProfile, steps: readonly ProfileChange[]): ManagedProfile {
  return Object.assign({}, profile, ...steps)
}

/** Both are in the order of the options. */
function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.join() === others.join()
}
