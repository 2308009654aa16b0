import { afterEach, describe, expect, it, vi } from 'vitest'
import { ESTADOS, MARCAS } from '#contract/seeded-catalogue.ts'
import { EMULATED_REPORT_WITHOUT_RLS, EMULATED_REPORTS } from '#emulators/power-bi/catalogue.ts'
import { callEmulator, toIdentity, VENDAS } from '#emulators/power-bi/testing/call-emulator.ts'
import { findTokenError, readClaims, toScope } from './check-token.ts'

const DATA = { marcas: MARCAS, estados: ESTADOS }
const { generate } = callEmulator()
const createClaims = async (customData: string) => {
  const reply = await generate({ identities: [toIdentity(VENDAS.datasetId, { customData })] })
  const claims = readClaims(reply.json().token)
  if (!claims) throw new Error('unreadable token')
  return claims
}
afterEach(() => vi.useRealTimers())

describe('embed token in the page', () => {
  it.each([
    ['M:FIAT|M:JEEP|U:RJ', ['FIAT', 'JEEP'], ['RJ']],
    ['U:RJ', [], ['RJ']],
    ['M:FIAT', ['FIAT'], []],
    ['FIAT|RJ|M:FIA|M:BMW', [], []],
    ['', [], []],
    ['M:BYD|M:FIAT|U:SP', ['FIAT'], []],
  ])('gives with %s only %j in %j', async (customData, marcas, estados) => {
    expect(toScope(DATA, await createClaims(customData), VENDAS)).toEqual({ marcas, estados })
  })

  it('includes brands and states added to the data', async () => {
    const data = { marcas: [...MARCAS, 'BYD'], estados: [...ESTADOS, 'SP'] }
    const scope = toScope(data, await createClaims('M:BYD|M:FIAT|U:SP'), VENDAS)
    expect(scope).toEqual({ marcas: ['FIAT', 'BYD'], estados: ['SP'] })
  })

  it('hides a dataset outside the identity, and shows all without row-level security', async () => {
    const claims = await createClaims('M:FIAT|U:RJ')
    expect(toScope(DATA, claims, EMULATED_REPORTS[1] as typeof VENDAS)).toEqual({
      marcas: [],
      estados: [],
    })
    expect(toScope(DATA, { ...claims, identities: [] }, EMULATED_REPORT_WITHOUT_RLS).marcas).toHaveLength(10)
  })

  it('is valid until the second of its expiry', async () => {
    const claims = await createClaims('M:FIAT|U:RJ')
    expect(findTokenError(claims, VENDAS)).toBeUndefined()
    vi.useFakeTimers({ now: claims.exp * 1000 - 1 })
    expect(findTokenError(claims, VENDAS)).toBeUndefined()
    vi.setSystemTime(claims.exp * 1000)
    expect(findTokenError(claims, VENDAS)).toMatchObject({ message: 'TokenExpired', errorCode: '403' })
  })

  it.each(['', 'rubbish', 'a.b.c', 'e30.e30.x'])('is rejected when malformed: %s', (token) => {
    const error = findTokenError(readClaims(token), VENDAS)
    expect(error).toMatchObject({ message: 'LoadReportFailed', errorCode: '403' })
  })

  it('is rejected for another report or dataset', async () => {
    const claims = await createClaims('M:FIAT|U:RJ')
    expect(findTokenError(claims, EMULATED_REPORTS[1])).toMatchObject({
      message: 'LoadReportFailed',
      errorCode: '404',
    })
    const mixed = { ...claims, datasetIds: [EMULATED_REPORT_WITHOUT_RLS.datasetId] }
    expect(findTokenError(mixed, VENDAS)).toMatchObject({ detailedMessage: 'Dataset not in token' })
    expect(findTokenError(claims, undefined)).toMatchObject({ message: 'LoadReportFailed' })
  })
})
