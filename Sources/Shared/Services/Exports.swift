@_exported public import Domain
@_exported public import Storage
