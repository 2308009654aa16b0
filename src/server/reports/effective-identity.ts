import { ESTADOS, MARCAS } from '#contract/catalogue.ts'
import type { Profile } from '#contract/users.ts'
import type { EffectiveIdentity } from '#server/power-bi/power-bi.ts'

/**
 * The identity that a person's tokens carry: one role, and the brands and states as customData
 * ('M:FIAT|M:GM|U:RJ'), because several roles would widen access instead of narrowing it.
 * Values outside the known lists are left out, so that none can smuggle a separator in.
 */
export function effectiveIdentityOf(
  person: Pick<Profile, 'email' | 'marcas' | 'estados'>,
  roles: string[],
): EffectiveIdentity {
  const marcas = MARCAS.filter((marca) => person.marcas.includes(marca)).map((marca) => `M:${marca}`)
  const estados = ESTADOS.filter((estado) => person.estados.includes(estado)).map((estado) => `U:${estado}`)
  return { username: person.email, roles, customData: [...marcas, ...estados].join('|') }
}
