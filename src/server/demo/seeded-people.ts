import type { Insertable } from 'kysely'
import { ESTADOS, MARCAS, TYPES } from '#contract/seeded-catalogue.ts'
import type { ProfilesTable } from '#server/database/schema.ts'

const FIRST_NAMES =
  'Adriana Álvaro Beatriz Bruno Camila César Cláudia Daniel Débora Eduardo Elisângela Érica Fábio Fernanda Flávio Gabriela Gérson Helena Hélio Igor Íris Joana José Júlia Kátia Leandro Letícia Luís Márcia Marcos Mônica Natália Otávio Patrícia Paulo Rafaela Renato Sílvia Tânia Úrsula Vânia Vítor Wagner Yara Zélia'.split(
    ' ',
  )
const LAST_NAMES =
  'Abreu Almeida Antônio Barbosa Cândido Cardoso Conceição Costa Dantas Esteves Falcão Ferreira Gonçalves Guimarães Jardim Leão Lima Macêdo Magalhães Melo Moraes Nóbrega Oliveira Pacheco Paixão Queiróz Ramos Ribeiro Santos São-Tiago Simões Teixeira Vasconcelos Xavier Zanetti'.split(
    ' ',
  )
const DAY_MS = 86_400_000

/** Creates a deterministic random generator (mulberry32), so that every demo has the same people. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Generates profiles without passwords, to search, sort and edit. */
export function generatePeople(count: number, domain: string, now: Date): Insertable<ProfilesTable>[] {
  const random = createRandom(2026)
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T
  const some = <T>(items: readonly T[], share: number) => items.filter(() => random() < share)
  return Array.from({ length: count }, (_, index) => {
    const [first, middle, last] = [pick(FIRST_NAMES), pick(LAST_NAMES), pick(LAST_NAMES)]
    const created = new Date(now.getTime() - Math.floor(random() * 700 * DAY_MS))
    const isVerified = random() < 0.92
    const isApproved = isVerified && random() < 0.9
    const hasSignedIn = isApproved && random() < 0.85
    // Most came recently.
    const seen = now.getTime() - random() ** 6 * (now.getTime() - created.getTime())
    return {
      email: `${toAscii(first)}.${toAscii(last)}${index + 1}@${domain}`,
      full_name: random() < 0.04 ? null : `${first} ${middle} ${last}`,
      approved: isApproved,
      email_verified_at: isVerified ? new Date(created.getTime() + 600_000) : null,
      created_at: created,
      last_sign_in_at: hasSignedIn ? new Date(seen) : null,
      types: isApproved ? some(TYPES, 0.25) : [],
      marcas: isApproved ? some(MARCAS, 0.3) : [],
      estados: isApproved ? some(ESTADOS, 0.4) : [],
    }
  })
}

function toAscii(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-zA-Z]/g, '')
    .toLowerCase()
}
