// What imports the stores sees the values that they keep.
@_exported public import Domain
