import type { AreaModel } from './data-set-areas.ts'

/** One row of a report's fact table: what a brand did in a state in a month (YYYY-MM). */
export interface Fact {
  marca: string
  estado: string
  month: string
  sums: Readonly<Record<string, number>>
}

interface Brand {
  size: number
  /** Average price of a car in reais. */
  price: number
  /** Growth per month; the brands that have just entered the country grow faster. */
  growth: number
}

const BRANDS: Readonly<Record<string, Brand>> = {
  FIAT: { size: 1.6, price: 98_000, growth: 0.004 },
  GAC: { size: 0.22, price: 186_000, growth: 0.031 },
  GM: { size: 1.35, price: 113_000, growth: 0.001 },
  GWM: { size: 0.48, price: 204_000, growth: 0.021 },
  HONDA: { size: 0.82, price: 149_000, growth: 0.003 },
  HYUN: { size: 1.12, price: 119_000, growth: 0.004 },
  JEEP: { size: 0.94, price: 172_000, growth: -0.002 },
  OMJA: { size: 0.27, price: 168_000, growth: 0.036 },
  TOYO: { size: 1.04, price: 166_000, growth: 0.006 },
  VW: { size: 1.48, price: 118_000, growth: 0.005 },
}

const STATES: Readonly<Record<string, number>> = { RJ: 1, ES: 0.44, MG: 0.71, PR: 0.56 }

/** January to December: holidays are slow, the thirteenth salary is not. */
const SEASON = [0.87, 0.85, 1.02, 0.97, 1, 0.98, 1.03, 1.05, 1.02, 1.06, 1.07, 1.18]

/**
 * The 24 months of the data set, November 2024 to October 2026. They do not move with the calendar, so that a
 * figure noted today (in a test, a screenshot, a bug report) is the same figure next year.
 */
export const MONTHS: readonly string[] = Array.from({ length: 24 }, (_, index) => {
  const month = 10 + index
  return `${2024 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
})

/** A number in [-1, 1] that depends on the name alone (FNV-1a, then a final mix). */
function hashToUnit(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x7fffffff - 1
}

/** A brand that the group has taken on since: middling, and by its code always the same. */
function createBrand(marca: string): Brand {
  const bias = hashToUnit(marca)
  return { size: 0.5 + 0.3 * bias, price: Math.round(140 + 60 * bias) * 1_000, growth: 0.02 }
}

function createFact(model: AreaModel, marca: string, estado: string, index: number): Fact {
  const month = MONTHS[index] ?? ''
  const brand = BRANDS[marca] ?? createBrand(marca)
  const size = STATES[estado] ?? 0.8 + 0.2 * hashToUnit(estado)
  const taste = 1 + 0.22 * hashToUnit(`${marca}/${estado}`)
  const season = SEASON[Number(month.slice(5)) - 1] ?? 1
  const values: Record<string, number> = {
    volume: brand.size * size * taste * season * (1 + brand.growth) ** (index - 12),
  }
  for (const { name, from, times, noise } of model.measures) {
    const factor = times === 'price' ? brand.price : times
    // A brand leans one way for good, so that ratios differ between brands and not only by chance.
    const bias = 1 + noise * (0.6 * hashToUnit(`${name}/${marca}`) + 0.4 * hashToUnit(`${name}/${estado}`))
    const chance = 1 + noise * hashToUnit(`${model.area}/${name}/${marca}/${estado}/${month}`)
    values[name] = Math.round((values[from] ?? 0) * factor * bias * chance)
  }
  const { volume: _, ...sums } = values
  return { marca, estado, month, sums }
}

const cache = new Map<string, readonly Fact[]>()

/** What a brand did in a state by an area's report, month by month: always the same figures. */
export function getFacts(model: AreaModel, marca: string, estado: string): readonly Fact[] {
  const key = [model.area, marca, estado].join()
  const facts = cache.get(key) ?? MONTHS.map((_, index) => createFact(model, marca, estado, index))
  cache.set(key, facts)
  return facts
}
