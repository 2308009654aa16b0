import type { AreaModel } from './data-set-areas.ts'

/** A row of a report's fact table: a brand's sums in a state and month (YYYY-MM). */
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
  /** Growth per month, higher for brands new to the country. */
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

/** Seasonal factors, January to December: slow in holidays, high with the thirteenth salary. */
const SEASON = [0.87, 0.85, 1.02, 0.97, 1, 0.98, 1.03, 1.05, 1.02, 1.06, 1.07, 1.18]

/** The fixed 24 months of the data, November 2024 to October 2026, so that figures never change. */
export const MONTHS: readonly string[] = Array.from({ length: 24 }, (_, index) => {
  const month = 10 + index
  return `${2024 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
})

/** Hashes a name to a number in [-1, 1] (FNV-1a with a final mix). */
function hashToUnit(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x7fffffff - 1
}

/** Creates the parameters of an unlisted brand, derived from its code. */
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
    // A constant bias per brand, so that ratios differ between brands and not only by chance.
    const bias = 1 + noise * (0.6 * hashToUnit(`${name}/${marca}`) + 0.4 * hashToUnit(`${name}/${estado}`))
    const chance = 1 + noise * hashToUnit(`${model.area}/${name}/${marca}/${estado}/${month}`)
    values[name] = Math.round((values[from] ?? 0) * factor * bias * chance)
  }
  const { volume: _, ...sums } = values
  return { marca, estado, month, sums }
}

const cache = new Map<string, readonly Fact[]>()

/** Returns a brand's monthly facts in a state for an area, which are deterministic. */
export function getFacts(model: AreaModel, marca: string, estado: string): readonly Fact[] {
  const key = [model.area, marca, estado].join()
  const facts = cache.get(key) ?? MONTHS.map((_, index) => createFact(model, marca, estado, index))
  cache.set(key, facts)
  return facts
}
