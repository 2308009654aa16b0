import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { routeGroups } from './index.ts'
import { buildPath } from './route.ts'

describe('buildPath', () => {
  test('fills in the parameters', () => {
    expect(buildPath({ path: '/api/profiles/{userId}' }, { userId: 'abc' })).toBe('/api/profiles/abc')
    expect(buildPath({ path: '/api/a/{x}/b/{y}' }, { x: 1, y: 2 })).toBe('/api/a/1/b/2')
    expect(buildPath({ path: '/api/health/live' })).toBe('/api/health/live')
  })

  test('keeps every value in its segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const path = buildPath({ path: '/api/a/{x}/b' }, { x: value })
        expect(path.split('/')).toHaveLength(5)
        expect(path).not.toMatch(/[?#\s\\]/)
        expect(decodeURIComponent(path.split('/')[3] as string)).toBe(value)
      }),
    )
  })
})

describe('the contract', () => {
  const routes = Object.values(routeGroups).flatMap((group) => Object.entries(group))

  test('gives every operation a name, and a unique method and path', () => {
    expect(new Set(routes.map(([name]) => name)).size).toBe(routes.length)
    expect(new Set(routes.map(([, { method, path }]) => `${method} ${path}`)).size).toBe(routes.length)
  })

  test('has a parameter schema for every brace in a path, and no body with GET', () => {
    for (const [name, route] of routes) {
      expect(Boolean(route.params), name).toBe(route.path.includes('{'))
      if (route.method === 'GET') expect(route.body, name).toBeUndefined()
    }
  })
})
