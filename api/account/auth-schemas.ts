import { Type } from 'typebox'
import { text } from '../../core/project/schema/fields.ts'

const cookie = Type.Optional(
  Type.Boolean({
    description:
      'Keeps the refresh token in a cookie, for pages of this service; it is not answered',
  }),
)
export const SignIn = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      maxLength: 320,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      title: 'text without control characters',
    }),
    password: text(1000, 1),
    cookie,
  },
  { additionalProperties: false },
)
export const Refresh = Type.Object(
  {
    refreshToken: Type.Optional(text(200, 1)),
    cookie: Type.Optional(Type.Literal(true, { description: 'The token is in the cookie' })),
  },
  {
    title: 'a refresh',
    additionalProperties: false,
    oneOf: [{ required: ['refreshToken'] }, { required: ['cookie'] }],
  },
)
export const OneTime = Type.Object({ code: text(200, 1) }, { additionalProperties: false })
export const Tokens = Type.Object({
  accessToken: Type.String({ description: 'JWT to send as Authorization: Bearer' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds' }),
  refreshToken: Type.Optional(
    Type.String({
      description: 'Token that is valid once, for the next pair; absent when a cookie holds it',
    }),
  ),
})
